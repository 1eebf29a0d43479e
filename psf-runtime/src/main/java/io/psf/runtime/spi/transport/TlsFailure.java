package io.psf.runtime.spi.transport;

import java.io.IOException;

/** A connection failed in TLS. The message is one sentence for users that names the cause. */
public final class TlsFailure extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * Creates a failure.
     *
     * @param sentence may have text of the peer, which is escaped
     */
    public TlsFailure(String sentence, Throwable cause) {
        super("TLS: " + PeerText.safe(sentence), cause);
    }

    /** Creates a failure that has no other cause. */
    public TlsFailure(String sentence) {
        super("TLS: " + PeerText.safe(sentence));
    }
}
