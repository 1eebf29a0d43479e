package io.psf.netty;

import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.Transport;
import io.psf.runtime.spi.transport.TransportProvider;

/** The service that brings the transport over Netty. */
public final class NettyProvider implements TransportProvider {
    @Override
    public String kind() {
        return "netty";
    }

    @Override
    public Transport create(FramePool pool, ConnectionLimits limits, boolean checksum) {
        return new NettyTransport(pool, limits, checksum, null);
    }

    @Override
    public Transport create(FramePool pool, ConnectionLimits limits, boolean checksum, TlsEngines tls) {
        return new NettyTransport(pool, limits, false, tls); // the records of TLS cannot be changed on the way
    }
}
