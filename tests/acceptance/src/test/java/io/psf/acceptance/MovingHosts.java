package io.psf.acceptance;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Scheduler;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The program of {@link HostNamesTest}: nodes whose names get other addresses while the worker is connected. It runs in
 * a JVM that reads names from a file ({@code jdk.net.hosts.file}), and does not cache them.
 */
final class MovingHosts {
    private MovingHosts() {}

    /**
     * Prints {@code moved} at the end.
     *
     * @param arguments the kind of the transport
     */
    public static void main(String[] arguments) throws Exception {
        name("scheduler.psf", "127.0.0.1");
        try (Scheduler scheduler = Scheduler.start(settings(arguments[0], 0, 0).scheduler())) {
            int port = freePort();
            Settings settings = settings(arguments[0], scheduler.port(), port);
            name("scheduler.psf server.psf", "127.0.0.1");
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() -> Server.start(settings.server()));
            awaitListening(port);
            name("scheduler.psf server.psf", "127.0.0.2");
            Proxy firstScheduler = proxy("127.0.0.2", scheduler.port());
            Proxy firstServer = proxy("127.0.0.2", port);
            try (Proxy nextScheduler = proxy("127.0.0.3", scheduler.port());
                    Proxy nextServer = proxy("127.0.0.3", port);
                    Worker worker = Worker.connect(settings.worker())) {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 2));
                Tensors.push(worker, w, new float[] {1, 1}).await();
                require(firstScheduler.connections() > 0 && firstServer.connections() > 0, "connected by name");

                name("scheduler.psf server.psf", "127.0.0.3");
                firstScheduler.close();
                firstServer.close();
                Tensors.push(worker, w, new float[] {1, 1}).await();
                worker.barrier();
                require(
                        nextScheduler.connections() > 0 && nextServer.connections() > 0,
                        "connected to the new address");
                float[] pulled = Tensors.pull(worker, w);
                require(Arrays.equals(pulled, new float[] {2, 2}), "each push once: " + Arrays.toString(pulled));
            }
            server.get(20, TimeUnit.SECONDS).close();
        }
        System.out.println("moved");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static Settings settings(String transport, int schedulerPort, int serverPort) {
        return Settings.of(Map.of(
                "PSF_SCHEDULER",
                "scheduler.psf:" + schedulerPort,
                "PSF_SERVERS",
                "1",
                "PSF_WORKERS",
                "1",
                "PSF_LISTEN",
                "server.psf:" + serverPort,
                "PSF_TRANSPORT",
                transport));
    }

    private static Proxy proxy(String address, int port) throws IOException {
        return new Proxy(InetAddress.getAllByName(address)[0], port, port);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void awaitListening(int port) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.nanoTime() - until < 0) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                require(socket.isConnected(), "a connection");
                return;
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
        throw new AssertionError("the server does not listen on port " + port);
    }

    /** Gives names an address: all of them, in the place of those before. */
    private static void name(String names, String address) throws IOException {
        Path hosts = Path.of(System.getProperty("jdk.net.hosts.file"));
        Path next = hosts.resolveSibling("next");
        Files.writeString(next, address + " " + names + "\n");
        Files.move(next, hosts, StandardCopyOption.ATOMIC_MOVE);
    }
}
