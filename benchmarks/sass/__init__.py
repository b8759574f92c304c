"""What the machine code of generated GPU kernels says of their speed, without a GPU: README.md."""
