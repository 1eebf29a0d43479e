package io.psf.builtin.push;

import io.psf.api.Names;
import io.psf.api.PsException;

/** Bounds of what the callers of a function can make a server keep. */
public final class AtMost {
    private static final int LONGEST = 2000;

    private AtMost() {}

    /**
     * Checks that a server may keep one more.
     *
     * @param what what it would be one more of, with its name
     * @param present how many there are
     * @param remedy how the caller frees some
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if there are too many
     */
    public static void requireOneMore(String what, long present, long most, String remedy) {
        if (present >= most) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    what + ": " + (present + 1) + " (expected: at most " + most + "; " + remedy + ")");
        }
    }

    /** Returns the begin of a text that a server keeps, or that goes to other nodes. */
    public static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "..";
    }

    /**
     * Checks a name that a server keeps.
     *
     * @param what the kind of object that the name belongs to
     * @throws PsException with {@code BAD_REQUEST} if it is empty, too long, or not printable
     */
    public static String requireName(String what, String name) {
        try {
            return Names.requireName(what, name);
        } catch (IllegalArgumentException e) {
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }
}
