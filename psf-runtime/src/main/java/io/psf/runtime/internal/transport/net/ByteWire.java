package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.Draft;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** The bytes of a connection, in both directions. No method blocks. One thread reads; one thread at a time writes. */
interface ByteWire {
    /**
     * Reads what has arrived, as much as the buffer takes.
     *
     * @return the number of bytes; 0 if there are none, -1 if no more will arrive
     */
    int read(ByteBuffer into) throws IOException;

    /**
     * Writes as much as the wire takes.
     *
     * @return the number of bytes
     */
    int write(ByteBuffer from) throws IOException;

    /**
     * Writes as much of two buffers, one after the other, as the wire takes.
     *
     * @return the number of bytes
     */
    default long write(ByteBuffer first, ByteBuffer second) throws IOException {
        int n = write(first);
        return first.hasRemaining() ? n : n + write(second);
    }

    void close() throws IOException;

    /** Returns the received bytes that a handshake has read already; they come before the bytes of {@link #read}. */
    default ByteBuffer already() {
        return ByteBuffer.allocate(0);
    }

    /** Returns the wire with received bytes that a handshake has read. Nothing may have been read otherwise. */
    default ByteWire with(ByteBuffer read) {
        throw new UnsupportedOperationException();
    }

    /** True if a {@link #read} would return bytes that the selector does not report. On the reading thread. */
    default boolean holdsBytes() {
        return false;
    }

    /** Returns the name in the certificate that the peer has proved to have; null if the wire has no certificates. */
    default @Nullable String certificate() {
        return null;
    }

    /** Returns the medium of the bytes, as {@link io.psf.runtime.spi.transport.Channel#medium} does. */
    default String medium() {
        return certificate() == null ? "TCP" : "TCP with TLS";
    }

    /** Returns the length of the longest draft that can be written; 0 if none can. */
    default int longestDraft() {
        return 0;
    }

    /**
     * Writes a whole draft, or nothing if the draft has become unnecessary.
     *
     * @return false if there is not enough free capacity
     */
    default boolean write(Draft draft) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** True if there is free capacity for a draft of that length. A racy estimate; any thread may call it. */
    default boolean hasCapacity(int length) {
        return false;
    }

    /** Returns the socket by which a selector learns of bytes to read, or of free capacity. */
    SocketChannel socket();

    /** Handles a readable socket. */
    default void rung() throws IOException {}

    /**
     * True if bytes arrive and leave without the selector's knowledge, unless {@link #prepareToWait} or {@link
     * FrameSource#prepareToSleep} is called first.
     */
    default boolean isPolled() {
        return false;
    }

    /** True if the peer has closed the connection; the selector reports nothing more. */
    default boolean hasEnded() {
        return false;
    }

    /**
     * Arranges that the selector reports free capacity.
     *
     * @param wanted bytes
     * @return false if there is enough already
     */
    default boolean prepareToWait(int wanted) throws IOException {
        return true;
    }
}
