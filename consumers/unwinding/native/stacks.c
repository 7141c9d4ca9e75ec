/* Calls back on another stack, as a coroutine is started. */

/* void on_stack(void (*callback)(const void *), const void *data, void *top):
   the rules lead back to the stack of the caller. */
__asm__(".text\n"
        ".globl on_stack\n"
        ".type on_stack, @function\n"
        "on_stack:\n"
        ".cfi_startproc\n"
        "  push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "  mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "  mov %rdi, %rax\n"
        "  mov %rsi, %rdi\n"
        "  mov %rdx, %rsp\n"
        "  call *%rax\n"
        "  mov %rbp, %rsp\n"
        "  pop %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size on_stack, . - on_stack\n");

/* void on_root(void (*callback)(const void *), const void *data, void *top):
   the same, and the rules say that nobody called. */
__asm__(".text\n"
        ".globl on_root\n"
        ".type on_root, @function\n"
        "on_root:\n"
        ".cfi_startproc\n"
        ".cfi_undefined %rip\n"
        "  push %rbp\n"
        "  mov %rsp, %rbp\n"
        "  mov %rdi, %rax\n"
        "  mov %rsi, %rdi\n"
        "  mov %rdx, %rsp\n"
        "  call *%rax\n"
        "  mov %rbp, %rsp\n"
        "  pop %rbp\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size on_root, . - on_root\n");

__asm__(".section .note.GNU-stack, \"\", @progbits\n");
