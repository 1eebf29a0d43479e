package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.runtime.internal.cluster.Join;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks of settings: {@code name: value (expected: ...)}. */
final class Checks {
    /** The least number of characters of a cluster's secret. */
    static final int SECRET_LENGTH = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Checks.class);

    private Checks() {}

    static void port(int port) {
        require(port >= 0 && port <= 65535, "port", port, "0 to 65535");
    }

    /** Fails for a wildcard address: workers connect to the address that a server listens on, unless it has another. */
    static void reachable(String host) {
        require(
                isOne(host),
                "address of a server",
                host,
                "one that workers can connect to, such as 127.0.0.1 or 10.0.0.7; or PSF_ADVERTISE with such a one");
    }

    /** Fails if the address that the other nodes connect to is a wildcard. */
    static void advertised(String host) {
        require(isHost(host) && isOne(host), "advertised address of a server", host, "one that workers can connect to");
    }

    /** True for a text that may be the name or the address of a host. Looks up no name. */
    static boolean isHost(String host) {
        return Join.Address.HOST.matcher(host).matches();
    }

    /** True unless a host stands for all addresses of the machine. Looks up no name. */
    private static boolean isOne(String host) {
        boolean isNumber = host.indexOf(':') >= 0 || host.matches("[0-9.]+");
        try {
            return !host.isBlank()
                    && !host.equals("*")
                    && !(isNumber && InetAddress.getAllByName(host)[0].isAnyLocalAddress());
        } catch (UnknownHostException e) { // listening or connecting says so
            return true;
        }
    }

    /** Fails for a text that is no name, unless it is empty. */
    static void name(String of, String name) {
        require(
                name.isEmpty() || Join.Names.NAME.matcher(name).matches(),
                "name of a " + of,
                name,
                Join.Names.EXPECTED);
    }

    static void atLeast(String name, long value, long least) {
        require(value >= least, name, value, ">= " + least);
    }

    static void positive(String name, Duration value) {
        require(!value.isNegative() && !value.isZero(), name, value, "> 0");
    }

    /** Fails for a negative number of a device, and for a number that is given twice. */
    static void devices(List<Integer> devices) {
        devices.forEach(device -> atLeast("device", device, 0));
        require(devices.stream().distinct().count() == devices.size(), "devices", devices, "each once");
    }

    static void secret(@Nullable String secret) {
        require(
                secret == null || secret.length() >= SECRET_LENGTH,
                "secret of the cluster",
                secret == null ? "" : secret.length() + " characters",
                "at least " + SECRET_LENGTH);
    }

    /**
     * Fails if a node listens beyond loopback, and whoever reaches it may do everything there.
     *
     * @param what the node, for the message
     */
    static void listening(String what, String host, Security security) {
        boolean isTrusted = security.secret() != null || security.tls() != null || security.permissions() != null;
        if (isTrusted || isLoopback(host)) {
            return;
        }
        if (security.insecure()) {
            LOG.warn(
                    "{} on {} without PSF_SECRET and TLS: whoever reaches it may read and change the model",
                    what,
                    host);
            return;
        }
        require(
                false,
                "address of a " + what,
                host + ", without a secret and TLS, so that whoever reaches it could read and change the model",
                "PSF_SECRET, or PSF_TLS_CERTIFICATE, PSF_TLS_KEY and PSF_TLS_AUTHORITY; or 127.0.0.1; or PSF_INSECURE=true in a"
                        + " network that nobody else reaches");
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) { // listening says so
            return true;
        }
    }

    private static void require(boolean holds, String name, Object value, String expected) {
        if (!holds) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
