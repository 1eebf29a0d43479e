package io.psf.acceptance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a node that is started again. It is below those that systems usually choose: while the node is gone, no
 * other node and no connection is given it.
 */
final class FixedPort {
    private static final int LEAST = 10_240;
    private static final int MOST = 32_000;

    private FixedPort() {}

    /** Returns a port of 127.0.0.1 on which nothing listens. */
    static int free() {
        int port = ThreadLocalRandom.current().nextInt(LEAST, MOST);
        while (!isFree(port)) {
            port = ThreadLocalRandom.current().nextInt(LEAST, MOST);
        }
        return port;
    }

    private static boolean isFree(int port) {
        try {
            new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
