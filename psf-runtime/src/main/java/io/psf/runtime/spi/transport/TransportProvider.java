package io.psf.runtime.spi.transport;

import io.psf.api.PsException;

/**
 * Creates the transport of a kind that another artifact brings. A node finds the providers on its class path, as
 * services ({@link java.util.ServiceLoader}), when it is configured to use the kind.
 */
public interface TransportProvider {
    /** Returns the name of the kind, in the spelling of {@code PSF_TRANSPORT}, such as {@code netty}. */
    String kind();

    /**
     * Creates a transport.
     *
     * @param pool for the memory of received frames
     * @param limits on the time and memory that peers can cost this side
     * @param checksum true if the frames of connections that this side makes have checksums
     */
    Transport create(FramePool pool, ConnectionLimits limits, boolean checksum);

    /**
     * Creates a transport all of whose connections have TLS.
     *
     * @param tls makes the engines of the connections
     * @throws PsException with {@code CONFIGURATION} if the kind has no TLS
     */
    default Transport create(FramePool pool, ConnectionLimits limits, boolean checksum, TlsEngines tls) {
        throw new PsException(
                PsException.Code.CONFIGURATION,
                "transport \"" + kind() + "\": no TLS (expected: another transport, or none of " + TlsEngines.SETTINGS
                        + ")");
    }
}
