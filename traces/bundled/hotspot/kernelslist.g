MemcpyHtoD,0x00007f2000000000,5184
MemcpyHtoD,0x00007f2000001800,5184
kernel-1.traceg.xz
kernel-2.traceg.xz
