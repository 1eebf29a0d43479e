package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.Channel;
import java.nio.channels.SelectionKey;

/** A connection, as the leader of the reactor polls and checks it. All other methods than these are for any thread. */
interface PolledChannel extends Channel {
    ByteWire wire();

    /** Sets the selection key of the socket, once the selector polls it. */
    void registered(SelectionKey with);

    /**
     * Writes the unsent frames, reads what has arrived, and wakes the threads that are blocked on free capacity if
     * there is some.
     *
     * @return true if there was something to read
     */
    boolean poll();

    /** Handles what the selector reports. */
    void selected(boolean readable, boolean writable);

    /** Returns the task that continues reading. The leader has to run it. */
    Runnable resumeReading();

    /** Writes as much of the unsent frames as the wire takes. Any thread may call it. */
    void flush();

    /** True if the selector will report the next event; false if there is something to do already. */
    boolean prepareToSleep();

    /**
     * Closes the connection if the peer keeps this side waiting for too long. Called at intervals.
     *
     * @param now the time of {@link ChannelChecks#clock}
     */
    void check(long now);

    /** Closes the connection for a reason that the peer has not caused. Any thread may call it. */
    void failed(Throwable failure);
}
