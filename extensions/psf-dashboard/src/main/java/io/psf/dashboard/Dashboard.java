package io.psf.dashboard;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.runtime.Security;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A page in the browser that shows what a cluster does, live. It is a guest of the cluster: nobody waits for it, and it
 * changes nothing. It asks the cluster only while somebody looks.
 *
 * <pre>{@code
 * try (Dashboard page = Dashboard.start(new InetSocketAddress("127.0.0.1", 8080), config)) {
 *     System.out.println(page.address());        // http://127.0.0.1:8080/
 *     train();
 * }
 * }</pre>
 *
 * <p>In a cluster with a secret, TLS or permissions the address has a token, which the log shows as well. With TLS the
 * page is served by HTTPS, with the node's certificate.
 */
public final class Dashboard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dashboard.class);

    /** The most requests at a time; each open page has one. */
    private static final int MOST_REQUESTS = 2 * Page.MOST_WATCHERS;

    static {
        // Of the JDK's server, in seconds: a browser that sends half a request does not keep a thread.
        if (System.getProperty("sun.net.httpserver.maxReqTime") == null) {
            System.setProperty("sun.net.httpserver.maxReqTime", "5");
        }
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final Feed feed;
    private final ClusterWatch watch;
    private final String address;

    private Dashboard(InetSocketAddress at, WorkerConfig cluster) throws IOException {
        Security security = cluster.join().security();
        boolean isOpen = security.secret() == null && security.tls() == null && security.permissions() == null;
        if (isOpen && !Admission.isLoopback(at.getHostString()) && !security.insecure()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "PSF_DASHBOARD: " + at.getHostString()
                            + ", without a secret and TLS, so that whoever reaches it could look (expected: 127.0.0.1;"
                            + " or PSF_SECRET or TLS; or PSF_INSECURE=true in a network that nobody else reaches)");
        }
        Admission admission = new Admission(isOpen ? null : Admission.newToken(), at.getHostString());
        this.feed = new Feed();
        this.server = listen(new InetSocketAddress(at.getHostString(), at.getPort()), security);
        this.threads = new ThreadPoolExecutor(
                0, MOST_REQUESTS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), Dashboard::thread);
        server.setExecutor(threads);
        server.createContext("/", new Page(admission, feed));
        this.watch = new ClusterWatch(cluster, feed);
        this.address = (security.tls() == null ? "http" : "https") + "://"
                + Member.address(at.getHostString(), server.getAddress().getPort()) + "/"
                + (admission.token() == null ? "" : "?token=" + admission.token());
        server.start();
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "dashboard-request");
        thread.setDaemon(true);
        return thread;
    }

    private static HttpServer listen(InetSocketAddress at, Security security) throws IOException {
        if (security.tls() == null) {
            return HttpServer.create(at, MOST_REQUESTS);
        }
        HttpsConfigurator certificates = new HttpsConfigurator(security.tls().context());
        HttpsServer server = HttpsServer.create(at, MOST_REQUESTS);
        server.setHttpsConfigurator(certificates);
        return server;
    }

    /**
     * Serves the page, on daemon threads.
     *
     * @param at a host and a port, 0 for a port that the system chooses
     * @param cluster how a worker connects to the cluster; its rank is ignored
     * @throws PsException with {@code UNAVAILABLE} if listening on the address fails; with {@code CONFIGURATION} if it
     *     is not on loopback, and the cluster keeps nobody out
     */
    public static Dashboard start(InetSocketAddress at, WorkerConfig cluster) {
        try {
            Dashboard dashboard = new Dashboard(at, cluster);
            LOG.info("the dashboard is at {}", dashboard.address());
            return dashboard;
        } catch (IOException | UnresolvedAddressException e) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "PSF_DASHBOARD: listening on " + Member.address(at.getHostString(), at.getPort()) + ": "
                            + (e.getMessage() == null ? e.toString() : e.getMessage()),
                    e);
        }
    }

    /** Returns the address for a browser, with the token if it needs one. */
    public String address() {
        return address;
    }

    @Override
    public void close() {
        feed.close();
        watch.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
