package io.psf.runtime.call;

final class InProcessTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new InProcessTransport();
    }
}
