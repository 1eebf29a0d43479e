package io.psf.builtin;

/** The numbers of cases that tests draw; {@code -Dpsf.laws.times=4} draws four times as many. */
public final class Laws {
    private static final int TIMES = Integer.getInteger("psf.laws.times", 1);

    private Laws() {}

    /** Returns how many cases to draw. */
    public static int cases(int byDefault) {
        return byDefault * TIMES;
    }
}
