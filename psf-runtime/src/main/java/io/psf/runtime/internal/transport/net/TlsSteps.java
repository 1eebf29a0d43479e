package io.psf.runtime.internal.transport.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/** A TLS handshake, step by step, for either end. Used by one thread at a time. */
final class TlsSteps {
    /** What the next step needs. */
    enum Need {
        /** Bytes of the peer. */
        BYTES,
        /** Free capacity for bytes to the peer. */
        CAPACITY,
        /** The engine's tasks have to be run. */
        TASKS,
        /** The handshake is complete. */
        NOTHING
    }

    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    /** The capacity for received bytes at first: most handshakes fit. */
    private static final int SMALL = 4 << 10;

    private final SSLEngine engine;
    /** Received bytes, from the position to the limit. */
    private ByteBuffer in = ByteBuffer.allocate(SMALL).limit(0);
    /** Bytes to the peer, from the position to the limit. */
    private ByteBuffer out = NONE;

    TlsSteps(SSLEngine engine) throws SSLException {
        this.engine = engine;
        engine.beginHandshake();
    }

    SSLEngine engine() {
        return engine;
    }

    /** Returns the received bytes that are not used up. */
    ByteBuffer received() {
        return in;
    }

    /**
     * Reads what has arrived, as much as there is capacity for.
     *
     * @return the number of bytes, -1 if no more will arrive
     */
    int receive(ReadableByteChannel from) throws IOException {
        if (in.remaining() == in.capacity()) {
            int most = engine.getSession().getPacketBufferSize();
            if (in.capacity() >= most) {
                throw new SSLException("a record is longer than " + most + " bytes");
            }
            in = ByteBuffer.allocate(Math.min(most, 4 * in.capacity())).put(in);
        } else {
            in.compact();
        }
        try {
            return from.read(in);
        } finally {
            in.flip();
        }
    }

    /** Takes steps until one needs something. Does not block, unless a write does. */
    Need proceed(WritableByteChannel to) throws IOException {
        while (true) {
            if (out.hasRemaining()) {
                to.write(out);
                if (out.hasRemaining()) {
                    return Need.CAPACITY;
                }
                out = NONE; // the peer may take long to answer
            }
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> {
                    return Need.TASKS;
                }
                case NEED_WRAP -> wrap();
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    SSLEngineResult result = engine.unwrap(in, NONE.duplicate());
                    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                        throw new SSLException("the other end closed the connection in the handshake");
                    }
                    if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                        return Need.BYTES;
                    }
                }
                default -> {
                    return Need.NOTHING;
                }
            }
        }
    }

    private void wrap() throws SSLException {
        int most = engine.getSession().getPacketBufferSize();
        ByteBuffer records = ByteBuffer.allocate(2 * most); // the engine wants capacity for the longest one
        while (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP
                && records.remaining() >= most) {
            SSLEngineResult result = engine.wrap(NONE.duplicate(), records);
            if (result.getStatus() != SSLEngineResult.Status.OK) {
                throw new SSLException("the handshake was ended: " + result.getStatus());
            }
        }
        out = records.flip();
    }

    /** Runs the engine's tasks. Takes some milliseconds. */
    void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Tells the peer why the handshake has failed, as far as that works at once. */
    void sendAlert(WritableByteChannel to) {
        try {
            engine.closeOutbound();
            ByteBuffer alert = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(NONE, alert);
            to.write(alert.flip());
        } catch (IOException | RuntimeException e) {
            out = NONE; // the connection is closed in any case
        }
    }
}
