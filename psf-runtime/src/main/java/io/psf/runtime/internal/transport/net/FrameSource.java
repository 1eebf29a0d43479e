package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.Frame;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The frames that arrive over a wire. Used by one thread at a time. */
interface FrameSource {
    /**
     * The bytes after which a channel leaves the others their turn: the handlers of so many may take milliseconds.
     */
    int TURN = 1 << 20;

    /**
     * Takes out the next complete frame.
     *
     * @return null if there is none, or only a part of one
     * @throws io.psf.api.PsException with {@code PROTOCOL} if the received bytes are not a frame
     * @throws io.psf.runtime.spi.transport.DamagedFrameException if a frame does not have its checksum
     */
    @Nullable
    Frame next() throws IOException;

    /**
     * Reads what has arrived. Does not block.
     *
     * @return the number of bytes; 0 if there are none, -1 if no more will arrive
     */
    int fetch() throws IOException;

    /** True if an immediate further {@link #fetch} may find bytes. */
    boolean mayHaveMore();

    /** True if a further {@link #fetch} would find bytes that the selector does not report. */
    boolean holdsBytes();

    /** Allows frames of any length from now on. */
    void trust();

    /**
     * Expects a checksum in front of each frame behind the frames that have been taken out.
     *
     * @throws io.psf.api.PsException with {@code PROTOCOL} if the frames of this wire have none
     */
    void check();

    /** Returns the received bytes of an unfinished frame; 0 if the frame is complete and waits to be taken out. */
    int partial();

    /** Returns the least length of that frame, in bytes. */
    int expected();

    /** Returns the number of bytes received, or another number that grows with it. */
    long received();

    /**
     * Arranges that the selector reports the next bytes.
     *
     * @return false if there are some already
     */
    boolean prepareToSleep() throws IOException;

    /** Gives back the memory of an unfinished frame, and the read buffers. Nothing is read afterwards. */
    void release();
}
