/* Code without unwind tables that keeps no frame pointer, and puts anything into the registers that one would
   walk by. Assembly, since a compiler gives no word on what is in them. */

/* void with_rbp(void (*callback)(const void *), const void *data, uintptr_t rbp):
   calls back with this value in the frame pointer's register. */
__asm__(".text\n"
        ".globl with_rbp\n"
        ".type with_rbp, @function\n"
        "with_rbp:\n"
        "  push %rbp\n"
        "  mov %rdx, %rbp\n"
        "  mov %rdi, %rax\n"
        "  mov %rsi, %rdi\n"
        "  call *%rax\n"
        "  pop %rbp\n"
        "  ret\n"
        ".size with_rbp, . - with_rbp\n");

/* void interrupted_with(uintptr_t rsp, uintptr_t rbp, pid_t process, pid_t thread, int signal):
   sends the signal to the thread, which is this one, while the stack pointer and the frame pointer have these
   values. Its handler must have a stack of its own. 234 is the system call `tgkill`. */
__asm__(".text\n"
        ".globl interrupted_with\n"
        ".type interrupted_with, @function\n"
        "interrupted_with:\n"
        "  push %rbp\n"
        "  push %r12\n"
        "  mov %rsp, %r12\n"
        "  mov %rdi, %rsp\n"
        "  mov %rsi, %rbp\n"
        "  mov %edx, %edi\n"
        "  mov %ecx, %esi\n"
        "  mov %r8d, %edx\n"
        "  mov $234, %eax\n"
        "  syscall\n"
        "  mov %r12, %rsp\n"
        "  pop %r12\n"
        "  pop %rbp\n"
        "  ret\n"
        ".size interrupted_with, . - interrupted_with\n");

__asm__(".section .note.GNU-stack, \"\", @progbits\n");
