package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatTypes;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.internal.checkpoint.DeleteModelPsf;
import io.psf.builtin.internal.checkpoint.FreezeModelPsf;
import io.psf.builtin.internal.checkpoint.ListModelsPsf;
import io.psf.builtin.internal.checkpoint.LoadModelPsf;
import io.psf.builtin.internal.checkpoint.LoadScope;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.SaveModelPsf;
import io.psf.builtin.internal.training.AbandonStepsPsf;
import io.psf.builtin.internal.training.EnterTrainingPsf;
import io.psf.builtin.internal.training.JoinModelPsf;
import io.psf.builtin.internal.training.LeaveTrainingPsf;
import io.psf.builtin.internal.training.MeetWorkers;
import io.psf.builtin.internal.training.MeetWorkersPsf;
import io.psf.builtin.internal.training.TellStepPsf;
import io.psf.kvstore.SendCommandPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.DeclarePsf;
import io.psf.runtime.internal.cluster.Hello;
import io.psf.runtime.internal.cluster.HelloPsf;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.JoinPsf;
import io.psf.runtime.internal.cluster.Protocol;
import io.psf.runtime.internal.cluster.RestoreFromPsf;
import io.psf.runtime.internal.cluster.Visit;
import io.psf.runtime.internal.cluster.VisitPsf;
import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.internal.transport.net.NetTransport.Sharing;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** No text of a peer begins a line of a log or of a message, or changes how one is shown, at any level of the log. */
@Timeout(60)
final class ForgedLinesTest {
    /**
     * A line feed, a carriage return, an escape sequence, a next line, separators, and characters of text direction.
     */
    private static final String TEXT =
            "x\nERROR forged\rERROR forged\u001b[2J\u0085ERROR forged\u2028ERROR forged\u2029\u202eforged\u2066\u200f";

    private static final String FORGES =
            "(?s).*[\r\u001b\u0085\u2028\u2029\u202e\u2066\u200f].*|(?s).*\nERROR forged.*";
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);
    private static final TensorId W = TensorId.of("w");

    @TempDir
    Path folder;

    private final List<String> messages = new ArrayList<>();

    /** All that psf logs, as a console shows it, with the stack traces. */
    private static final class Console extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        private final Logger psf = (Logger) LoggerFactory.getLogger("io.psf");
        private final Level before = psf.getLevel();
        private final PatternLayout layout = new PatternLayout();
        private final List<String> shown = new CopyOnWriteArrayList<>();

        Console() {
            setContext((LoggerContext) LoggerFactory.getILoggerFactory());
            layout.setContext(getContext());
            layout.setPattern("%-5level %msg%n%ex");
            layout.start();
            start();
            psf.setLevel(Level.DEBUG);
            psf.addAppender(this);
        }

        @Override
        protected void append(ILoggingEvent event) {
            shown.add(layout.doLayout(event));
        }

        @Override
        public void close() {
            psf.detachAppender(this);
            psf.setLevel(before);
        }
    }

    /** Makes a call that may fail, and keeps the message of its failure. */
    private void fails(ThrowingCallable call) {
        PsException failure = catchThrowableOfType(PsException.class, call);
        if (failure != null) {
            messages.add(failure.getMessage());
            messages.add(failure.detail());
        }
    }

    private void fails(Pending<?> call) {
        fails(call::await);
    }

    private static TensorDeclaration declaration(String name, Rule initializer, String beside, String memoryOf) {
        return new TensorDeclaration(
                new TensorInfo(TensorId.of(name), 4, 1, FloatTypes.FLOAT32),
                1,
                beside,
                "host",
                initializer,
                Rule.NONE,
                Rounds.NONE,
                Map.of(),
                memoryOf);
    }

    /** The texts of members: names, reasons and arguments. */
    private void textsOfAWorker(FunctionCaller worker) {
        for (boolean later : new boolean[] {false, true}) {
            fails(QuotePsf.stub(worker).call(0, TEXT, later));
        }
        fails(ListModelsPsf.stub(worker).call(0, TEXT));
        ModelOptions options = new ModelOptions(1, 0, List.of(W), List.of(), false, false);
        fails(LoadModelPsf.stub(worker).call(0, TEXT, 1, options, LoadScope.MODEL, 0));
        fails(SaveModelPsf.stub(worker).call(0, TEXT, 1, options, List.of(), 0));
        fails(DeleteModelPsf.stub(worker).call(0, TEXT));
        fails(FreezeModelPsf.stub(worker).call(TEXT, 0, 1, -1, 0, 0, List.of()));
        fails(JoinModelPsf.stub(worker).call(0, TEXT, TEXT, List.of()));
        fails(JoinModelPsf.stub(worker).call(0, "m", TEXT, List.of()));
        for (String model : List.of(TEXT, "m")) {
            for (long attempt : new long[] {MeetWorkers.LOOP, 0}) {
                fails(MeetWorkersPsf.stub(worker)
                        .call(0, model, attempt, true, 1, false, true, false, options, List.of(), 0));
            }
            fails(EnterTrainingPsf.stub(worker).call(0, model, 1, true, false, true, 7));
        }
        fails(LeaveTrainingPsf.stub(worker).call(0, TEXT, List.of(), true, 0));
        fails(TellStepPsf.stub(worker).call(0, TEXT, 1, 5, 0, false));
        fails(SendCommandPsf.stub(worker).call(1, TEXT));
        fails(RestoreFromPsf.stub(worker).call(TEXT, false, false, 7));
        for (TensorDeclaration each : List.of(
                declaration("a", new Rule(TEXT, Map.of(), Map.of()), "", ""),
                declaration("b", new Rule("psf.constant", Map.of("value", TEXT), Map.of()), "", ""),
                declaration("c", new Rule("psf.constant", Map.of(TEXT, "1"), Map.of()), "", ""),
                declaration("d", Rule.NONE, TEXT, ""),
                declaration("e", Rule.NONE, "", TEXT))) {
            fails(DeclarePsf.stub(worker).call(List.of(each), 1));
        }
        fails(AbandonStepsPsf.stub(worker).call("m", TEXT));
        fails(TellStepPsf.stub(worker).call(0, "m", 1, 5, 0, false));
    }

    /** The texts of a stranger: before its hello, in what is a frame and what is none. */
    private void textsOfAStranger(int port) throws IOException {
        FramePool pool = new FramePool(1 << 20);
        try (Transport transport = new NetTransport(pool, Sharing.NEVER, Duration.ZERO, ConnectionLimits.usual())) {
            CallClient client = new CallClient(pool);
            Protocol named = new Protocol(1, 1, List.of(new Protocol.Feature(TEXT, true)));
            for (Protocol protocol :
                    List.of(Join.Request.of(Role.WORKER, -1, "", 0).protocol(), named)) {
                for (Role role : List.of(Role.SERVER, Role.WORKER, Role.CLIENT)) {
                    Join.Request join = new Join.Request(protocol, role, -1, new Join.Address(TEXT, 1), 5, new byte[3]);
                    calls(client, transport, port, JoinPsf.FUNCTION, join);
                    calls(client, transport, port, VisitPsf.FUNCTION, new Visit.Request(join, false));
                }
                Hello.Request hello = new Hello.Request(
                        protocol,
                        new Hello.Caller(Role.WORKER, 0, 1, TEXT),
                        7,
                        new Hello.InSession(5, 0),
                        new byte[32]);
                calls(client, transport, port, HelloPsf.FUNCTION, hello);
            }
        }
        for (String junk : List.of(TEXT.repeat(10), "GET /" + TEXT + " HTTP/1.1\r\n\r\n" + TEXT.repeat(5))) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(20_000);
                socket.getOutputStream().write(junk.getBytes(StandardCharsets.UTF_8));
                assertThat(socket.getInputStream().readAllBytes())
                        .as("the refusal")
                        .isNotEmpty();
            }
        }
    }

    private <Q, R> void calls(CallClient client, Transport transport, int port, Function<Q, R> function, Q request) {
        Peer peer = client.connect(transport, "127.0.0.1", port, "the victim");
        fails(() -> client.callNodes(function, request, List.of(peer), LIMIT).await());
        client.disconnect(peer);
    }

    @Test
    void noTextOfAPeerForgesALine() throws Exception {
        Map<String, String> forged = new LinkedHashMap<>();
        int shown;
        try (Console console = new Console()) {
            try (PsCluster cluster =
                    PsCluster.builder().tcp().workers(1).checkpoints(folder).start()) {
                Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
                textsOfAStranger(cluster.scheduler().port());
                textsOfAStranger(cluster.servers().get(0).port());
                textsOfAWorker(cluster.worker());
            }
            shown = console.shown.size();
            console.shown.stream().filter(each -> each.matches(FORGES)).forEach(each -> forged.put("log", each));
            assertThat(console.shown)
                    .as("lines with the peer's text, escaped")
                    .anyMatch(each -> each.contains("IllegalStateException: given: x\\u000aERROR forged"));
        }
        messages.stream().filter(each -> each.matches(FORGES)).forEach(each -> forged.put("message", each));
        assertThat(messages).hasSizeGreaterThan(50).anyMatch(each -> each.contains("x\\u000aERROR forged\\u000d"));
        System.out.printf("%d events of the log, %d messages%n", shown, messages.size());
        assertThat(forged).isEmpty();
    }
}
