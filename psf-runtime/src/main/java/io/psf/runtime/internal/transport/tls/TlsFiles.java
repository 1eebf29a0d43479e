package io.psf.runtime.internal.transport.tls;

import io.psf.api.PsException;
import io.psf.runtime.internal.log.LogLimiter;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.TlsFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engines of a node whose certificate, key and authorities are in files. The files are read again when they have
 * changed, for the connections that follow. Thread-safe.
 */
public final class TlsFiles implements TlsEngines {
    private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);

    /** The least time between two looks at the files. */
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The cipher that processors have instructions for comes first. */
    private static final List<String> CIPHERS =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    private final Path certificate;
    private final Path key;
    private final Path authority;
    private final LogLimiter failures = new LogLimiter();

    // Guarded by this.
    private List<String> state;
    private boolean isBroken;
    private long lookedAt;

    private volatile Credentials credentials;

    /**
     * Reads the files.
     *
     * @param certificate the node's, and those between it and its authority, in this order
     * @param key of the node's certificate
     * @param authority one authority or more, which have issued the certificates of all nodes
     * @throws PsException with {@code CONFIGURATION} if one is not as expected
     */
    public TlsFiles(Path certificate, Path key, Path authority) {
        this.certificate = certificate;
        this.key = key;
        this.authority = authority;
        this.state = state();
        this.lookedAt = System.nanoTime();
        this.credentials = Credentials.read(certificate, key, authority);
    }

    /**
     * Checks the time of the node's certificates: with an expired one, every connection would fail.
     *
     * @throws PsException with {@code CONFIGURATION} if one is expired, or not valid yet
     */
    public void requireValid() {
        credentials.requireValid(certificate);
    }

    /** Returns what changes with the content of the files. */
    private List<String> state() {
        return Stream.of(certificate, key, authority).map(TlsFiles::state).toList();
    }

    private static String state(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return now.lastModifiedTime().to(TimeUnit.NANOSECONDS) + " " + now.size() + " " + now.fileKey();
        } catch (IOException e) {
            return "none";
        }
    }

    private Credentials current() {
        if (isToBeRead()) {
            try {
                Credentials found = Credentials.read(certificate, key, authority);
                found.requireValid(certificate);
                credentials = found;
                LOG.info("TLS: read {} again: {}", certificate, Certificates.describe(credentials.own()));
            } catch (PsException e) {
                synchronized (this) {
                    isBroken = true; // the other files may follow, or the rest of this one
                }
                if (failures.allows()) {
                    LOG.warn(
                            "TLS: the files were changed and are not used: {}; the ones before stay in use; not logged"
                                    + " again for a minute",
                            e.detail());
                }
            }
        }
        return credentials;
    }

    private synchronized boolean isToBeRead() {
        long now = System.nanoTime();
        if (now - lookedAt < INTERVAL_NANOS) {
            return false;
        }
        lookedAt = now;
        List<String> found = state();
        boolean changed = isBroken || !found.equals(state);
        state = found;
        isBroken = false;
        return changed;
    }

    /** Returns the context of now, for connections of other protocols. */
    public SSLContext context() {
        return current().context();
    }

    @Override
    public SSLEngine connecting(String host, int port) {
        SSLEngine engine = current().context().createSSLEngine(host, port);
        SSLParameters parameters = parameters(engine);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setUseClientMode(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    @Override
    public SSLEngine accepting() {
        SSLEngine engine = current().context().createSSLEngine();
        SSLParameters parameters = parameters(engine);
        parameters.setUseCipherSuitesOrder(true);
        engine.setUseClientMode(false);
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static SSLParameters parameters(SSLEngine engine) {
        List<String> supported = Arrays.asList(engine.getSupportedCipherSuites());
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3"});
        parameters.setCipherSuites(CIPHERS.stream().filter(supported::contains).toArray(String[]::new));
        return parameters;
    }

    @Override
    public TlsFailure failure(Exception cause) {
        return cause instanceof TlsFailure known
                ? known
                : new TlsFailure(Causes.sentence(cause, credentials.own(), authority), cause);
    }
}
