package io.psf.runtime;

import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A transport whose connections go over a proxy, which can fall silent as a firewall does, without closing anything.
 */
final class Swallowing extends Proxied {
    Swallowing(Transport inner) {
        super(inner);
    }

    @Override
    boolean isDirect(int before) {
        return before == 0; // the scheduler's
    }

    /** From now on nothing comes through any connection that there is. */
    void fallSilent() {
        links.forEach(link -> link.silent = true);
    }

    /** Sends to every server what is no frame. */
    void garble() {
        for (Link link : links) {
            try {
                link.far.getOutputStream().write(new byte[100]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        links.clear();
    }
}
