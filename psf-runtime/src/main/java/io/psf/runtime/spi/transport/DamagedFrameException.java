package io.psf.runtime.spi.transport;

import java.io.IOException;

/** A frame does not have the checksum that the peer has sent. Its connection cannot be used any more. */
public final class DamagedFrameException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedFrameException(String message) {
        super(message);
    }
}
