MemcpyHtoD,0x00007f2000000c00,960
kernel-1.traceg.xz
kernel-2.traceg.xz
