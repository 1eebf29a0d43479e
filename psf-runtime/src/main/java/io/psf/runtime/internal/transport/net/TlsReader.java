package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.TlsEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/** The receiving half of a TLS connection: decrypts records, directly into the reader's buffer where they fit. */
final class TlsReader {
    /** The bytes of encrypted records that are read at once. */
    private static final int CAPACITY = 64 << 10;

    /** The bytes in front of each record. */
    private static final int HEADER = 5;

    /** The most records without content in a row: key updates, alerts and empty ones. */
    static final int MOST_EMPTY = 64;

    /** Content of that many bytes begins a new row. */
    private static final int ENOUGH = 64 << 10;

    private final SSLEngine engine;
    private final TlsEngines engines;
    /** Encrypted bytes, from the position to the limit. */
    private final ByteBuffer in = ByteBuffer.allocate(CAPACITY);
    /** Decrypted bytes that the reader's buffer had no capacity for, from the position to the limit. */
    private ByteBuffer rest = ByteBuffer.allocate(0);

    private boolean ended;
    private int empty;
    private int content;
    /** True once content has arrived: the peer has accepted this node. */
    private volatile boolean begun;

    TlsReader(SSLEngine engine, TlsEngines engines, ByteBuffer received) {
        this.engine = engine;
        this.engines = engines;
        in.put(received).flip();
    }

    /** True if content has arrived. */
    boolean hasBegun() {
        return begun;
    }

    /** True if there are bytes that the next {@link #read} returns, whatever the socket has. */
    boolean holdsBytes() {
        return rest.hasRemaining() || isRecordComplete();
    }

    /**
     * Decrypts what has arrived, as much as the buffer takes. If it takes more, every complete record has been used up.
     *
     * @return the number of bytes; 0 if there are none, -1 if no more will arrive
     */
    int read(ByteBuffer into, ReadableByteChannel from) throws IOException {
        int begin = into.position();
        boolean more = true;
        while (into.hasRemaining() && !ended) {
            if (rest.hasRemaining()) {
                takeRest(into);
            } else if (isRecordComplete()) {
                decrypt(into);
            } else if (more) {
                more = receive(from);
            } else {
                break;
            }
        }
        int n = into.position() - begin;
        if (n > 0) {
            count(n);
            return n;
        }
        return ended ? -1 : 0;
    }

    private void takeRest(ByteBuffer into) {
        int n = Math.min(into.remaining(), rest.remaining());
        into.put(into.position(), rest, rest.position(), n);
        into.position(into.position() + n);
        rest.position(rest.position() + n);
    }

    private boolean isRecordComplete() {
        int there = in.remaining();
        if (there < HEADER) {
            return false;
        }
        int at = in.position();
        int length = (in.get(at + 3) & 0xff) << 8 | in.get(at + 4) & 0xff;
        return there >= Math.min(HEADER + length, CAPACITY); // the engine refuses a record that is too long
    }

    /** Reads encrypted bytes. True if there may be more of them. */
    private boolean receive(ReadableByteChannel from) throws IOException {
        in.compact();
        int n;
        boolean full;
        try {
            n = from.read(in);
            full = !in.hasRemaining();
        } finally {
            in.flip();
        }
        ended |= n < 0;
        return full;
    }

    private void decrypt(ByteBuffer into) throws IOException {
        try {
            SSLEngineResult result = engine.unwrap(in, into);
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                ByteBuffer all = rest.capacity() > 0
                        ? rest.clear()
                        : ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
                rest = all.limit(0);
                result = engine.unwrap(in, all.clear());
                all.flip();
            }
            switch (result.getStatus()) {
                case OK -> countEmpty(result);
                case CLOSED -> ended = true;
                default -> throw new SSLException("a record is too long");
            }
        } catch (SSLException | RuntimeException e) {
            throw engines.failure(e);
        }
    }

    private void countEmpty(SSLEngineResult result) throws SSLException {
        if (result.bytesProduced() > 0) {
            return;
        }
        if (++empty > MOST_EMPTY) {
            throw new SSLException("more than " + MOST_EMPTY + " records without content (expected: frames)");
        }
        if (result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_TASK) {
            throw new SSLException("a handshake message after the handshake (expected: frames)");
        }
    }

    private void count(int n) {
        if (!begun) {
            begun = true;
        }
        content += n;
        if (content >= ENOUGH) {
            content = 0;
            if (empty > 0 && engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NEED_WRAP) {
                empty = 0; // not while answers to key updates wait for the next write
            }
        }
    }
}
