package io.psf.builtin.image;

/**
 * How an image lists its rows, and what follows them.
 *
 * @param bases the number of images that it builds on: 0 if it has all rows
 * @param removed the number of keys that it lists as removed
 * @param calls true if it has the open rounds and the kept answers
 */
public record ImageForm(int bases, long removed, boolean calls) {
    /** The form of an image that has all rows, without the state of calls. */
    public static final ImageForm PLAIN = new ImageForm(0, 0, false);
}
