"""The kernels of baxterkit for NVIDIA GPUs, as PTX; `baxterkit.cuda` loads them."""
