package io.psf.runtime.net;

import io.psf.runtime.call.SocketTransportContract;
import io.psf.runtime.call.Transport;
import java.time.Duration;

final class NetTransportTest extends SocketTransportContract {
    @Override
    protected Transport newTransport() {
        return new NetTransport(pool, NetTransport.Sharing.NEVER, Duration.ZERO, PARTIAL_FRAME_LIMIT);
    }
}
