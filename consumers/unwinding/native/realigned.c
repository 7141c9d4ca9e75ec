/* Calls back, in frames that are aligned to more than the caller's stack is. */

/* The frame address is found from the frame pointer, as usual. */
void realigned(void (*callback)(const void *), const void *data) {
    _Alignas(64) volatile char room[64];
    room[0] = 1;
    callback(data);
    room[63] = room[0];
}

/* A frame of variable size that is realigned: the compiler saves the frame address in the frame, and the rule
   is an expression that loads it from there. */
void realigned_by_expression(void (*callback)(const void *), const void *data) {
    _Alignas(64) volatile char room[64];
    room[0] = 1;
    volatile char *more = __builtin_alloca(64 + (((unsigned long)data >> 4) & 15));
    more[0] = room[0];
    callback(data);
    room[63] = room[0];
}
