package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.spi.Function;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.internal.transport.net.NetTransport.Sharing;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import io.psf.runtime.internal.transport.tls.TlsFiles;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node cannot join or say hello with the credentials, proofs and tickets of another one, with TLS and without. */
@Timeout(60)
class ReplaysTest {
    private static final String SECRET = "sixteen letters and more";
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    @TempDir
    Path folder;

    private final FramePool pool = new FramePool(1 << 20);
    private final CallClient client = new CallClient(pool);
    private Transport transport = new NetTransport(pool, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual());

    @AfterEach
    void stop() {
        transport.close();
    }

    private Peer connect(int port) {
        return client.connect(transport, "127.0.0.1", port, "the victim");
    }

    private <Q, R> R call(Peer peer, Function<Q, R> function, Q request) {
        return client.callNodes(function, request, List.of(peer), LIMIT).await();
    }

    private byte[] nonce(Peer peer) {
        return call(peer, ChallengePsf.FUNCTION, new Challenge.Request()).nonce();
    }

    private static void refused(ThrowingCallable call, String why) {
        PsException refusal = catchThrowableOfType(PsException.class, call);
        assertThat(refusal).as(why).isNotNull().hasMessageContaining(why);
        assertThat(refusal.code()).isEqualTo(Code.BAD_REQUEST);
    }

    private static Join.Request join(Role role, int rank, long session, byte[] nonce) {
        Join.Request usual = Join.Request.of(role, rank, "", 0);
        Join.Request asked =
                new Join.Request(usual.protocol(), role, rank, usual.address(), session, usual.credential());
        return asked.with(new SharedSecret(SECRET).credential(asked, nonce));
    }

    private Tls tls() throws IOException {
        TlsAuthority.Issued files = new TlsAuthority(folder, "cluster").issue("node");
        Tls node = new Tls(files.certificate(), files.key(), files.authority());
        transport.close();
        transport = new NetTransport(
                pool,
                Sharing.NEVER,
                Duration.ZERO,
                ConnectionLimits.usual(),
                false,
                new TlsFiles(node.certificate(), node.key(), node.authority()));
        return node;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasHeardIsOfNoUse(boolean encrypted) throws Exception {
        SchedulerConfig plan = SchedulerConfig.of(1, 2).withSecret(SECRET);
        Tls node = encrypted ? tls() : null;
        plan = node == null ? plan : plan.withTls(node);
        try (Scheduler scheduler = Scheduler.start(plan)) {
            int port = scheduler.port();
            ServerConfig usual = ServerConfig.of("127.0.0.1", port).withSecret(SECRET);
            CompletableFuture<Server> server =
                    CompletableFuture.supplyAsync(() -> Server.start(node == null ? usual : usual.withTls(node)));
            Peer first = connect(port);
            byte[] nonce = nonce(first);
            Join.Request good = join(Role.WORKER, 1, 5, nonce);
            Peer second = connect(port);
            refused(() -> call(second, JoinPsf.FUNCTION, good), "credential of a worker: wrong");
            nonce(second);
            refused(() -> call(second, JoinPsf.FUNCTION, good), "credential of a worker: wrong");
            Join.Request other =
                    new Join.Request(good.protocol(), Role.CLIENT, -1, good.address(), 5, good.credential());
            refused(() -> call(first, JoinPsf.FUNCTION, other), "credential of a client: wrong");
            refused(() -> call(first, JoinPsf.FUNCTION, good), "credential of a worker: wrong"); // its nonce was used
            var joined =
                    client.callNodes(JoinPsf.FUNCTION, join(Role.WORKER, 1, 5, nonce(first)), List.of(first), LIMIT);
            Peer third = connect(port);
            var last = client.callNodes(JoinPsf.FUNCTION, join(Role.WORKER, 0, 6, nonce(third)), List.of(third), LIMIT);
            Join.Response admitted = joined.await();
            var unused = last.await();
            try (Server victim = server.get()) {
                forgedHellos(victim.port(), admitted);
            }
        }
    }

    private void forgedHellos(int port, Join.Response admitted) {
        Member host = new Member(Role.SERVER, 0, "127.0.0.1", port);
        Ticket own = admitted.ticket(Role.WORKER);
        Peer peer = connect(port);
        Hello.Request early = own.hello(host, 9, 0, nonce(peer));
        int rank = own.rank();
        long since = own.since();
        for (Hello.Caller caller : List.of(
                new Hello.Caller(Role.SERVER, rank, since, ""),
                new Hello.Caller(Role.CLIENT, rank, 0, ""),
                new Hello.Caller(Role.WORKER, 0, since, ""),
                new Hello.Caller(Role.WORKER, Ticket.GUEST, 0, ""),
                new Hello.Caller(Role.WORKER, rank, since + 1, ""),
                new Hello.Caller(Role.WORKER, rank, since, "admin"))) {
            Hello.Request good = own.hello(host, 9, 0, nonce(peer));
            forged(peer, good, caller, good.session(), good.proof());
        }
        for (Hello.InSession session : List.of(new Hello.InSession(10, 0), new Hello.InSession(9, 1))) {
            Hello.Request good = own.hello(host, 9, 0, nonce(peer));
            forged(peer, good, good.caller(), session, good.proof());
        }
        for (byte[] proof : List.of(new byte[32], new byte[0], own.secret(), early.proof())) {
            Hello.Request good = own.hello(host, 9, 0, nonce(peer));
            forged(peer, good, good.caller(), good.session(), proof);
        }
        call(peer, HelloPsf.FUNCTION, own.hello(host, 9, 0, nonce(peer)));
        refused(
                () -> call(peer, HelloPsf.FUNCTION, own.hello(host, 11, 0, nonce(peer))),
                "hello: a second one on this connection");
    }

    /** Says a hello of which a part is another one than its proof was made for. */
    private void forged(Peer peer, Hello.Request good, Hello.Caller caller, Hello.InSession session, byte[] proof) {
        Hello.Request hello = new Hello.Request(good.protocol(), caller, good.cluster(), session, proof);
        refused(() -> call(peer, HelloPsf.FUNCTION, hello), ": wrong (expected: made with the ticket");
    }
}
