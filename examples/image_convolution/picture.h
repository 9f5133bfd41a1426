/* A picture made for this example, and PNG files. */
#ifndef PICTURE_H
#define PICTURE_H

/* Three planes of height rows of width values from 0 to 1, red, green, blue: lights over water at night. */
void draw_picture(float *planes, int width, int height);

/* Writes two pictures side by side, values cut to 0 .. 1. Returns 0, or 1 when the file cannot be written. */
int write_png(const char *path, const float *left, const float *right, int width, int height);

#endif
