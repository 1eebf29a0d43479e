package io.psf.runtime.transport.memory;

import io.psf.runtime.transport.Transport;
import io.psf.runtime.transport.TransportContract;

final class InProcessTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new InProcessTransport();
    }
}
