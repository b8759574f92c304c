! Calls what stencilgen makes of examples/j2d5pt from Fortran, and compares with array operations.
!
!   stencilgen examples/j2d5pt/j2d5pt.idsl --target cpp -o j2d5pt.cpp
!   g++ -std=c++17 -O3 -fopenmp -c j2d5pt.cpp
!   gfortran examples/fortran/j2d5pt.f90 j2d5pt.o -fopenmp -lstdc++ -o app
program app
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    ! int j2d5pt(const double* in, double* out, int M, int N)
    integer(c_int) function j2d5pt(in, out, m, n) bind(c)
      import :: c_int, c_double
      real(c_double), intent(in) :: in(*)
      real(c_double), intent(inout) :: out(*)
      integer(c_int), value :: m, n
    end function j2d5pt
    ! const char* j2d5pt_error(void)
    type(c_ptr) function j2d5pt_error() bind(c)
      import :: c_ptr
    end function j2d5pt_error
  end interface

  ! in[M][N] of the stencil program is in(n, m) here: what is last there is first.
  integer, parameter :: m = 300, n = 200
  real(c_double) :: in(n, m), out(n, m), expected(n, m)

  call random_number(in)
  out = 0
  expected = 0
  expected(2:n-1, 2:m-1) = 0.1d0 * in(2:n-1, 1:m-2) + &
      0.2d0 * (in(1:n-2, 2:m-1) + in(2:n-1, 2:m-1) + in(3:n, 2:m-1)) + 0.3d0 * in(2:n-1, 3:m)

  if (j2d5pt(in, out, m, n) /= 0) then
    print '(a)', 'j2d5pt: ' // text_of(j2d5pt_error())
    stop 1
  end if
  if (maxval(abs(out - expected)) > 1d-14) then
    print '(a)', 'the results differ'
    stop 1
  end if
  print '(a)', 'the same as in Fortran'

  if (j2d5pt(in, out, 0, n) == 0) stop 1
  print '(a)', 'j2d5pt: ' // text_of(j2d5pt_error())

contains

  ! A text of C that ends with a null.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: k
    call c_f_pointer(pointer, letters, [1000])
    text = ''
    do k = 1, size(letters)
      if (letters(k) == c_null_char) exit
      text = text // letters(k)
    end do
  end function text_of
end program app
