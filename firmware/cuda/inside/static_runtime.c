/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that nvcc links with its default have CUDA's runtime in themselves. This library, loaded
 * before the program's own constructors run, finds the runtime's entry points in the program's
 * symbol table and makes each of them jump to the one of libcudart beside it. A program without a
 * symbol table (stripped) keeps its runtime, which then reports that the driver is none of its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define JUMP_BYTES 12 /* mov rax, target; jmp rax: rax carries no argument of a C function */

struct program {
    const uint8_t *file;
    uint64_t bytes;
    const Elf64_Sym *symbol;
    uint64_t num_symbols;
    const char *names;
    uint64_t name_bytes;
};

static bool within_(const struct program *p, uint64_t offset, uint64_t bytes)
{
    return offset <= p->bytes && bytes <= p->bytes - offset;
}

/* The symbol table of the file, if it has one. */
static bool read_(struct program *p)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)p->file;
    if (p->bytes < sizeof *head || memcmp(p->file, ELFMAG, SELFMAG) != 0 ||
        p->file[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        !within_(p, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr))) {
        return false;
    }
    const Elf64_Shdr *section = (const Elf64_Shdr *)(const void *)(p->file + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &section[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum) {
            continue;
        }
        const Elf64_Shdr *names = &section[s->sh_link];
        if (!within_(p, s->sh_offset, s->sh_size) ||
            !within_(p, names->sh_offset, names->sh_size) || names->sh_size == 0 ||
            p->file[names->sh_offset + names->sh_size - 1] != '\0') {
            return false;
        }
        p->symbol = (const Elf64_Sym *)(const void *)(p->file + s->sh_offset);
        p->num_symbols = s->sh_size / sizeof *p->symbol;
        p->names = (const char *)p->file + names->sh_offset;
        p->name_bytes = names->sh_size;
        return true;
    }
    return false;
}

static const char *entry_point_(const struct program *p, const Elf64_Sym *s)
{
    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
        s->st_name >= p->name_bytes || s->st_size < JUMP_BYTES) {
        return NULL;
    }
    const char *name = p->names + s->st_name;
    return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0 ? name : NULL;
}

static bool has_(const struct program *p, const char *entry_point)
{
    for (uint64_t i = 0; i < p->num_symbols; i++) {
        const char *name = entry_point_(p, &p->symbol[i]);
        if (name != NULL && strcmp(name, entry_point) == 0) {
            return true;
        }
    }
    return false;
}

/* The library with the same structures: only CUDA 12 has the second form of the properties' call,
 * and CUDA 11 does not have handles of kernels. */
static const char *library_(const struct program *p)
{
    return has_(p, "cudaGetDeviceProperties_v2") ? "libcudart.so.12"
           : has_(p, "__cudaGetKernel")          ? "libcudart.so.13"
                                                 : "libcudart.so.11.0";
}

static bool lead_to_(uint8_t *from, const void *to)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t target = (uint64_t)(uintptr_t)to;
    const uint64_t first = (uint64_t)(uintptr_t)from & ~(page - 1);
    const uint64_t end = ((uint64_t)(uintptr_t)from + JUMP_BYTES + page - 1) & ~(page - 1);
    uint8_t code[JUMP_BYTES] = {0x48, 0xb8, [10] = 0xff, 0xe0};
    memcpy(code + 2, &target, sizeof target);
    void *pages = (void *)(uintptr_t)first;
    if (mprotect(pages, end - first, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        return false;
    }
    memcpy(from, code, sizeof code);
    return mprotect(pages, end - first, PROT_READ | PROT_EXEC) == 0;
}

/* The first object is the program. */
static int base_(struct dl_phdr_info *info, size_t bytes, void *base)
{
    (void)bytes;
    memcpy(base, &info->dlpi_addr, sizeof info->dlpi_addr);
    return 1;
}

static void replace_(const struct program *p)
{
    uint64_t base = 0;
    Dl_info here;
    char path[4096];
    void *runtime = NULL;
    if (dladdr((void *)(uintptr_t)&replace_, &here) != 0 && strrchr(here.dli_fname, '/') != NULL) {
        const int folder = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
        (void)snprintf(path, sizeof path, "%.*s/%s", folder, here.dli_fname, library_(p));
        runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (runtime == NULL) {
        fprintf(stderr, "smrf: %s\n", dlerror());
        return;
    }
    (void)dl_iterate_phdr(base_, &base);
    for (uint64_t i = 0; i < p->num_symbols; i++) {
        const char *name = entry_point_(p, &p->symbol[i]);
        const void *own = name != NULL ? dlsym(runtime, name) : NULL;
        if (own != NULL && !lead_to_((uint8_t *)(uintptr_t)(base + p->symbol[i].st_value), own)) {
            fprintf(stderr, "smrf: the runtime in this program cannot be replaced: %s\n", name);
            return;
        }
    }
}

__attribute__((constructor)) static void begin_(void)
{
    struct program p = {0};
    struct stat status;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || status.st_size <= 0) {
        return;
    }
    p.bytes = (uint64_t)status.st_size;
    void *mapped = mmap(NULL, p.bytes, PROT_READ, MAP_PRIVATE, file, 0);
    (void)close(file);
    if (mapped == MAP_FAILED) {
        return;
    }
    p.file = mapped;
    if (read_(&p) && has_(&p, "__cudaRegisterFatBinary")) {
        replace_(&p);
    }
    (void)munmap(mapped, p.bytes);
}
