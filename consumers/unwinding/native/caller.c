/* Calls back, in a frame of its own. The build script compiles it once for each way to keep a frame. */

#ifndef ROOM
#define ROOM 16
#endif

void NAME(void (*callback)(const void *), const void *data) {
    volatile char room[ROOM];
    room[0] = 1;
    callback(data);
    /* After the call, so that it is not a jump. */
    room[ROOM - 1] = room[0];
}
