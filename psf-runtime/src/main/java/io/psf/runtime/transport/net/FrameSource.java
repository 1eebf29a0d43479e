package io.psf.runtime.transport.net;

import io.psf.runtime.transport.Frame;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The frames that come over a wire. One thread at a time. */
interface FrameSource {
    /**
     * Takes out the next frame that is there.
     *
     * @return null if there is none, or but a part of one
     * @throws io.psf.api.PsException with {@code PROTOCOL} if what comes is no frame
     */
    @Nullable
    Frame next() throws IOException;

    /**
     * Fetches what has come.
     *
     * @return how many bytes; 0 if nothing has come, -1 if nothing will
     */
    int fetch() throws IOException;

    /** Whether it makes sense to fetch again at once. */
    boolean mayHaveMore();

    /** From now on frames may be of any length. */
    void trust();

    /** How many bytes of an unfinished frame there are; 0 for one that is whole and has not been taken out. */
    int partial();

    /** How many bytes there will be at least. */
    int expected();

    /** How many bytes have come, or another number that grows with them. */
    long received();

    /**
     * The selector is told when something comes.
     *
     * @return false if something has come already
     */
    boolean prepareToSleep() throws IOException;

    /** Gives back the memory of an unfinished frame, and what is kept to read into. Nothing is read afterwards. */
    void release();
}
