package io.psf.runtime.internal.transport.net;

import io.psf.fuzz.Script;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import io.psf.runtime.internal.transport.tls.TlsFiles;
import io.psf.runtime.spi.transport.TlsEngines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The two ends of a connection with TLS, in memory. A script may change the bytes that the connecting end sends. */
final class TlsPair {
    /** The engines of both ends. */
    static final TlsEngines ENGINES = engines();

    private static final int MOST_FLIGHTS = 16;

    private final SSLEngine near;
    private final SSLEngine far;

    private TlsPair(SSLEngine near, SSLEngine far) {
        this.near = near;
        this.far = far;
    }

    private static TlsEngines engines() {
        try {
            Path folder = Files.createTempDirectory("psf-fuzz");
            try {
                TlsAuthority.Issued node = new TlsAuthority(folder, "fuzz").issue("node");
                return new TlsFiles(node.certificate(), node.key(), node.authority());
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** The end that connects, after the handshake. */
    SSLEngine near() {
        return near;
    }

    /** The end that accepts, after the handshake. */
    SSLEngine far() {
        return far;
    }

    /** Shakes hands. */
    static TlsPair secured() {
        try {
            TlsPair pair = handshake(new Script(new byte[0]), Integer.MAX_VALUE);
            if (pair == null) {
                throw new IllegalStateException("the handshake is not complete");
            }
            return pair;
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Shakes hands, while the script changes what the end that connects sends.
     *
     * @param piece the bytes that arrive at once
     * @return null if the end that accepts waits for more
     */
    static @Nullable TlsPair handshake(Script edits, int piece) throws SSLException {
        SSLEngine near = ENGINES.connecting("127.0.0.1", 1);
        SSLEngine far = ENGINES.accepting();
        TlsSteps connects = new TlsSteps(near);
        TlsSteps accepts = new TlsSteps(far);
        TlsSteps.Need needs = accepts.proceed();
        for (int i = 0; i < MOST_FLIGHTS; i++) {
            try {
                connects.proceed();
            } catch (SSLException e) {
                return null; // it has been refused, and says no more
            }
            byte[] flight = edits.changed(sent(connects));
            for (int at = 0; at < flight.length && needs != TlsSteps.Need.NOTHING; ) {
                int n = receive(accepts, flight, at, Math.min(piece, flight.length - at));
                at += n;
                needs = accepts.proceed();
            }
            byte[] answer = sent(accepts);
            if (needs == TlsSteps.Need.NOTHING) {
                return new TlsPair(near, far);
            }
            if (answer.length == 0 && flight.length == 0) {
                return null;
            }
            for (int at = 0; at < answer.length; ) {
                at += receive(connects, answer, at, answer.length - at);
            }
        }
        throw new AssertionError("the handshake goes on after " + MOST_FLIGHTS + " flights");
    }

    /** What an end has to send. */
    private static byte[] sent(TlsSteps from) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            from.flush(Channels.newChannel(all));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toByteArray();
    }

    private static int receive(TlsSteps end, byte[] bytes, int at, int length) throws SSLException {
        try {
            return end.receive(from(bytes, at, length));
        } catch (SSLException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A channel out of which bytes come, and then none. */
    static ReadableByteChannel from(byte[] bytes, int at, int length) {
        ByteBuffer all = ByteBuffer.wrap(bytes, at, length);
        return new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer into) {
                int n = Math.min(into.remaining(), all.remaining());
                into.put(into.position(), all, all.position(), n);
                into.position(into.position() + n);
                all.position(all.position() + n);
                return n;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
