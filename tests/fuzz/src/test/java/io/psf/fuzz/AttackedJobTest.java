package io.psf.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.statistics.CollectStatistics;
import io.psf.builtin.internal.statistics.CollectStatisticsPsf;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.cli.LocalJob;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.Challenge;
import io.psf.runtime.internal.cluster.ChallengePsf;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.Declare;
import io.psf.runtime.internal.cluster.DeclarePsf;
import io.psf.runtime.internal.cluster.GuestLink;
import io.psf.runtime.internal.cluster.HelloPsf;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.Ticket;
import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.internal.transport.net.NetTransport.Sharing;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Frames that once ended a job, sent to a server and a scheduler with heaps of 256 MB while a worker trains. Each
 * attack prints how long a push of 1 MB took at most, and the most memory of both processes.
 */
@Tag("long")
@Timeout(300)
final class AttackedJobTest {
    private static final FramePool POOL = new FramePool(1 << 20);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Member SERVER = new Member(Role.SERVER, 0, "", 0);
    private static final int FLOATS = 250_000;

    /** What peers send. */
    private enum Attack {
        /** Two strangers report calls as done whose numbers are far from each other. */
        DONE_OF_STRANGERS,
        /** Two guests announce frames of 70 MB, and send 1 KB a tenth of a second. */
        LONG_FRAMES_OF_GUESTS,
        /** 20 guests send chains of 60,000 reads. */
        CHAINS_OF_GUESTS,
        /** Four clients send chains of 60,000 reads, over four connections each. */
        CHAINS_OF_CLIENTS,
        /** Four clients send reads for five seconds, over four connections each, and take no answers. */
        REQUESTS_OF_CLIENTS,
        /** 100 clients with 16 sessions each report calls as done whose numbers are far from each other. */
        DONE_OF_CLIENTS,
        /** A client makes shards of 4.2 million names. */
        NAMES,
        /** A client makes shards of a state that is to come, 4,096 times, of 500 names each. */
        NAMES_THAT_WAIT,
        /** A client declares a tensor with a map of three million entries, at the scheduler. */
        ENTRIES
    }

    private final CallClient client = new CallClient(POOL);
    private final List<AutoCloseable> open = new ArrayList<>();

    /** A connection whose bytes the test writes. */
    private final class Raw implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;

        Raw(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new DataInputStream(socket.getInputStream());
            open.add(this);
        }

        /** Sends bytes; a connection that was closed is as good. */
        boolean send(byte[] bytes) {
            try {
                socket.getOutputStream().write(bytes);
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        /** Sends bytes until the connection is closed, which may block for ever before. */
        void sendAgainAndAgain(byte[] bytes) {
            while (send(bytes)) {
                Thread.onSpinWait();
            }
        }

        Frame answer() throws IOException {
            byte[] header = in.readNBytes(Frame.HEADER);
            if (header.length < Frame.HEADER) {
                throw new IOException("closed");
            }
            byte[] frame = Arrays.copyOf(header, Bytes.length(header, 0));
            in.readFully(frame, Frame.HEADER, frame.length - Frame.HEADER);
            return Bytes.arrived(POOL, frame);
        }

        /** Takes answers for good. */
        Raw drained() {
            Thread drain = new Thread(() -> {
                try {
                    in.skipNBytes(Long.MAX_VALUE);
                } catch (IOException e) { // closed
                    return;
                }
            });
            drain.setDaemon(true);
            drain.start();
            return this;
        }

        Raw greeted(Ticket ticket, long session) throws IOException {
            send(request(ChallengePsf.FUNCTION, new Challenge.Request(), 1));
            byte[] nonce = answer().reader(null).bytes();
            send(request(HelloPsf.FUNCTION, ticket.hello(SERVER, session, 0, nonce), 2));
            assertThat(answer().status()).isEqualTo(Code.OK);
            return this;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static <Q, R> byte[] request(Function<Q, R> function, Q request, long call) {
        TupleWriter tuple = new TupleWriter();
        function.write(request, Routing.overNodes(1), 0, tuple);
        return request(function.info(), tuple, call);
    }

    private static byte[] request(FunctionInfo info, TupleWriter tuple, long call) {
        Frame frame = Frames.request(POOL, RequestHeader.toNode(info, 0, call, 60_000), tuple);
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(0, bytes);
        return bytes;
    }

    private static byte[] init(int names, long epoch, long call) {
        TupleWriter tuple = new TupleWriter();
        tuple.count(names);
        for (int i = 0; i < names; i++) {
            tuple.tensor(TensorId.of(String.valueOf((char) ('a' + i % 26))));
        }
        tuple.i64(epoch);
        return request(InitTensorPsf.FUNCTION.info(), tuple, call);
    }

    private static byte[] done(int numbers) {
        long[] far =
                LongStream.rangeClosed(1, numbers).map(i -> i * ((1 << 20) - 1)).toArray();
        Frame frame = Frames.done(POOL, 0, far);
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(0, bytes);
        return bytes;
    }

    private static byte[] chain(int n) {
        byte[] read = request(CollectStatisticsPsf.FUNCTION, new CollectStatistics.Request(), 10);
        ByteBuffer chain = ByteBuffer.allocate(Frame.HEADER + n * read.length);
        chain.put(Bytes.chain(new byte[0], new byte[0]));
        for (int i = 0; i < n; i++) {
            chain.put(Bytes.withCall(read, 10 + i));
        }
        Bytes.little(chain.array()).putInt(0, chain.capacity());
        return chain.array();
    }

    /** A declaration whose optimizer has that many options: one is written, and repeated in its place. */
    private static byte[] declaration(int entries) {
        TensorDeclaration one = new TensorDeclaration(
                new TensorInfo(TensorId.of("many"), 1, 1),
                1,
                "",
                "host",
                Rule.NONE,
                new Rule("psf.add", Map.of("@@", "@"), Map.of()),
                Rounds.NONE,
                Map.of(),
                "");
        byte[] whole = request(DeclarePsf.FUNCTION, new Declare.Request(List.of(one), 0), 10);
        int at = Frame.HEADER;
        while (whole[at] != '@' || whole[at + 1] != '@') {
            at++;
        }
        at -= 8; // the number of entries, and the length of the key
        int end = Frame.HEADER + Bytes.little(whole).getInt(40);
        int block = at - Frame.HEADER + 4 + 13 * entries + (end - at - 15);
        ByteBuffer out = ByteBuffer.allocate(Frame.HEADER + (block + 7) / 8 * 8).order(ByteOrder.LITTLE_ENDIAN);
        out.put(whole, 0, at).putInt(entries);
        for (int i = 0; i < entries; i++) {
            out.putInt(4).putInt(0x30303030 + i % 10 + (i / 10 % 10 << 8) + (i / 100 % 10 << 16) + (i / 1000 << 24));
            out.putInt(1).put((byte) '1');
        }
        out.put(whole, at + 15, end - at - 15);
        return out.putInt(0, out.capacity()).putInt(40, block).array();
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void aJobGoesOn(Attack attack) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (NetTransport transport = new NetTransport(POOL, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual());
                LocalJob job = LocalJob.builder()
                        .workers(1)
                        .nodeFlags(List.of("-Xmx256m"))
                        .environment(Map.of("PSF_TRANSPORT", "tcp"))
                        .onLine((node, line) -> lines.add(node + ": " + line))
                        .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            Member scheduler = new Member(Role.SCHEDULER, 0, address[0], Integer.parseInt(address[1]));
            try (Worker worker = Worker.connect(WorkerConfig.of(address[0], scheduler.port()))) {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", FLOATS));
                int pushes = 0;
                long before = 0;
                for (; pushes < 20; pushes++) {
                    before = Math.max(before, push(worker, w));
                }
                int port = GuestLink.visit(client, transport, scheduler, Join.Names.NONE, null, false, LIMIT)
                        .cluster()
                        .members()
                        .stream()
                        .filter(member -> member.role() == Role.SERVER)
                        .findFirst()
                        .orElseThrow()
                        .port();
                Thread attacking = new Thread(() -> attack(attack, transport, scheduler, port));
                long begin = System.nanoTime();
                attacking.start();
                long slowest = 0;
                while (attacking.isAlive() || System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(5)) {
                    slowest = Math.max(slowest, push(worker, w));
                    pushes++;
                }
                System.out.printf(
                        "%s, %.1f s: the slowest push of 1 MB took %,.0f ms before, %,.0f ms meanwhile; at most %d MB at"
                                + " the server, %d MB at the scheduler%n",
                        attack,
                        (System.nanoTime() - begin) / 1e9,
                        before / 1e6,
                        slowest / 1e6,
                        peakMegabytes(job.process("server 0")),
                        peakMegabytes(job.process("scheduler")));
                assertThat(Tensors.pull(worker, w)).containsOnly(pushes);
                assertThat(slowest).as("slowest push").isLessThan(TimeUnit.SECONDS.toNanos(5));
            } finally {
                for (AutoCloseable each : open) {
                    each.close();
                }
            }
            assertThat(job.awaitExit(Duration.ofSeconds(60))).isTrue();
        }
        assertThat(lines).noneMatch(line -> line.contains("OutOfMemoryError"));
    }

    private static long push(Worker worker, TensorId w) {
        float[] ones = new float[FLOATS];
        Arrays.fill(ones, 1);
        long begin = System.nanoTime();
        Tensors.push(worker, w, ones).await();
        return System.nanoTime() - begin;
    }

    private void attack(Attack attack, NetTransport transport, Member scheduler, int port) {
        try {
            switch (attack) {
                case DONE_OF_STRANGERS -> {
                    for (int to : new int[] {port, scheduler.port()}) {
                        for (int i = 0; i < 2; i++) {
                            new Raw(to).send(done(2000)); // the longest frame of a stranger has 16 KB
                        }
                    }
                }
                case LONG_FRAMES_OF_GUESTS -> {
                    List<Raw> guests = List.of(guest(transport, scheduler, port), guest(transport, scheduler, port));
                    byte[] header = request(InitTensorPsf.FUNCTION.info(), new TupleWriter(), 10);
                    Bytes.little(header).putInt(0, 70 << 20);
                    guests.forEach(guest -> guest.send(header));
                    for (int i = 0; i < 50; i++) {
                        guests.forEach(guest -> guest.send(new byte[1 << 10]));
                        TimeUnit.MILLISECONDS.sleep(100); // the pace of the attack
                    }
                }
                case CHAINS_OF_GUESTS -> {
                    byte[] chain = chain(60_000);
                    for (int i = 0; i < 20; i++) {
                        guest(transport, scheduler, port).drained().send(chain);
                    }
                }
                case CHAINS_OF_CLIENTS -> {
                    byte[] chain = chain(60_000);
                    for (int i = 0; i < 4; i++) {
                        Ticket ticket = client(transport, scheduler).ticket();
                        for (int session = 1; session <= 4; session++) {
                            new Raw(port)
                                    .greeted(ticket, session + 100L * i)
                                    .drained()
                                    .send(chain);
                        }
                    }
                }
                case REQUESTS_OF_CLIENTS -> {
                    byte[] reads = Arrays.copyOfRange(chain(1000), Frame.HEADER, chain(1000).length);
                    List<Thread> senders = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        Ticket ticket = client(transport, scheduler).ticket();
                        for (int session = 1; session <= 4; session++) {
                            Raw raw = new Raw(port).greeted(ticket, session + 100L * i);
                            senders.add(new Thread(() -> raw.sendAgainAndAgain(reads)));
                        }
                    }
                    senders.forEach(sender -> sender.setDaemon(true));
                    senders.forEach(Thread::start);
                    TimeUnit.SECONDS.sleep(5); // the length of the attack
                }
                case DONE_OF_CLIENTS -> {
                    byte[] done = done(8000);
                    for (int i = 0; i < 100; i++) {
                        Ticket ticket = client(transport, scheduler).ticket();
                        for (int session = 1; session <= 16; session++) {
                            new Raw(port).greeted(ticket, session + 100L * i).send(done);
                        }
                    }
                }
                case NAMES -> {
                    Raw raw = new Raw(port).greeted(client(transport, scheduler).ticket(), 1);
                    raw.send(init(4_200_000, 0, 10));
                    System.out.println("answer: " + raw.answer().reader(null).string());
                }
                case NAMES_THAT_WAIT -> {
                    Raw raw = new Raw(port)
                            .greeted(client(transport, scheduler).ticket(), 1)
                            .drained();
                    for (int i = 0; i < 4096; i++) {
                        raw.send(init(500, 1_000_000, 10 + i));
                    }
                }
                case ENTRIES -> {
                    Peer peer = client(transport, scheduler).scheduler();
                    byte[] declaration = declaration(3_000_000);
                    Frame frame = POOL.acquire(declaration.length);
                    frame.bytes().put(declaration).flip();
                    peer.channel().send(frame, System.nanoTime() + LIMIT.toNanos());
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Raw guest(NetTransport transport, Member scheduler, int port) throws IOException {
        return new Raw(port)
                .greeted(
                        GuestLink.visit(client, transport, scheduler, Join.Names.NONE, null, false, LIMIT)
                                .ticket(),
                        0);
    }

    private ClusterLink client(NetTransport transport, Member scheduler) {
        ClusterLink link = ClusterLink.join(
                client, transport, scheduler, Join.Request.of(Role.CLIENT, -1, "", 0), null, LIMIT, stage -> {});
        open.add(link::leave);
        return link;
    }

    /** Returns the most memory that a process has had, in MB. */
    private static long peakMegabytes(Process process) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                .findFirst()
                .orElseThrow();
    }
}
