/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for a runtime that is linked into the program: every entry point ends it. Whoever runs the
 * program has to lead them elsewhere. */
    .macro entry name
    .global \name
    .type \name, @function
\name:
    .rept 8
    ud2
    .endr
    .size \name, . - \name
    .endm
    .text
    entry __cudaInitModule
    entry __cudaPopCallConfiguration
    entry __cudaPushCallConfiguration
    entry __cudaRegisterFatBinary
    entry __cudaRegisterFatBinaryEnd
    entry __cudaRegisterFunction
    entry __cudaRegisterManagedVar
    entry __cudaRegisterSurface
    entry __cudaRegisterTexture
    entry __cudaRegisterVar
    entry __cudaUnregisterFatBinary
    entry cudaArrayGetInfo
    entry cudaBindSurfaceToArray
    entry cudaBindTexture
    entry cudaBindTextureToArray
    entry cudaCreateTextureObject
    entry cudaDestroyTextureObject
    entry cudaDeviceGetAttribute
    entry cudaDeviceReset
    entry cudaDeviceSetLimit
    entry cudaDeviceSynchronize
    entry cudaEventCreate
    entry cudaEventDestroy
    entry cudaEventElapsedTime
    entry cudaEventRecord
    entry cudaEventSynchronize
    entry cudaFree
    entry cudaFreeArray
    entry cudaFreeHost
    entry cudaFuncGetAttributes
    entry cudaFuncSetAttribute
    entry cudaGetDeviceCount
    entry cudaGetDeviceProperties
    entry cudaGetErrorName
    entry cudaGetErrorString
    entry cudaGetLastError
    entry cudaGetSymbolAddress
    entry cudaGetSymbolSize
    entry cudaGetTextureObjectResourceDesc
    entry cudaHostAlloc
    entry cudaHostGetDevicePointer
    entry cudaHostGetFlags
    entry cudaHostRegister
    entry cudaHostUnregister
    entry cudaImportExternalMemory
    entry cudaLaunchHostFunc
    entry cudaLaunchKernel
    entry cudaMalloc
    entry cudaMalloc3D
    entry cudaMalloc3DArray
    entry cudaMallocArray
    entry cudaMallocManaged
    entry cudaMallocPitch
    entry cudaMemGetInfo
    entry cudaMemcpy
    entry cudaMemcpy2D
    entry cudaMemcpy2DFromArray
    entry cudaMemcpy2DToArray
    entry cudaMemcpy3D
    entry cudaMemcpyAsync
    entry cudaMemcpyFromSymbol
    entry cudaMemcpyToArray
    entry cudaMemcpyToSymbol
    entry cudaMemset
    entry cudaMemset2D
    entry cudaOccupancyMaxActiveBlocksPerMultiprocessor
    entry cudaPeekAtLastError
    entry cudaPointerGetAttributes
    entry cudaSetDevice
    entry cudaStreamCreate
    entry cudaStreamDestroy
    entry cudaStreamSynchronize
    entry cudaStreamWaitEvent
    entry cudaUnbindTexture
    .section .note.GNU-stack,"",@progbits
