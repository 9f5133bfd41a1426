/* A picture made for this example, and PNG files. */
#ifndef PICTURE_H
#define PICTURE_H

/* Three planes of size * size values from 0 to 1: red, green, blue. */
void draw_picture(float *planes, int size);

/* Writes planes of size * size values, cut to 0 .. 1. Returns 0, or 1 when the file cannot be written. */
int write_png(const char *path, const float *planes, int size);

#endif
