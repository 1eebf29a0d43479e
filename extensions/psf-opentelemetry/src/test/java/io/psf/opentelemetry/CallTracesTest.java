package io.psf.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.psf.api.CallListener;
import io.psf.api.RequestListener;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spans of calls. */
@Timeout(60)
final class CallTracesTest {
    private static final String PUSH = "psf.dense.push";

    /** Keeps the spans. */
    private static final class Kept implements SpanExporter {
        final List<SpanData> spans = new CopyOnWriteArrayList<>();

        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }

        List<SpanData> of(SpanKind kind) {
            return spans.stream()
                    .filter(each -> each.getKind() == kind && each.getName().startsWith(PUSH))
                    .toList();
        }
    }

    private final Kept kept = new Kept();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(kept))
                    .build())
            .build();

    private CallTraces traces(double share) {
        return new CallTraces(telemetry, share);
    }

    /** Pushes to two slices. Each node has an instance of its own, as the service loader makes them. */
    private void push(double share) {
        try (PsCluster cluster = PsCluster.embedded(1)) {
            cluster.worker().listen((CallListener) traces(share));
            cluster.servers().get(0).listen((RequestListener) traces(share));
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4).slices(2));
            Tensors.push(cluster.worker(), w, new float[4]).await();
            Tensors.pull(cluster.worker(), w); // the handlers are told of after their answers
        }
    }

    @Test
    void aCallAndItsHandlersAreOneTrace() {
        push(1);
        await().until(() -> kept.of(SpanKind.CLIENT).size() == 1
                && kept.of(SpanKind.INTERNAL).size() == 2);
        SpanData call = kept.of(SpanKind.CLIENT).get(0);
        assertThat(call.getAttributes().get(AttributeKey.stringKey("psf.slices")))
                .isEqualTo("0,1");
        assertThat(call.getAttributes().get(AttributeKey.stringKey("psf.tensor")))
                .isEqualTo("w");
        assertThat(kept.of(SpanKind.SERVER)).hasSize(2).allSatisfy(request -> {
            assertThat(request.getTraceId()).isEqualTo(call.getTraceId());
            assertThat(request.getParentSpanId()).isEqualTo(call.getParentSpanId());
        });
        assertThat(kept.of(SpanKind.INTERNAL))
                .extracting(each -> each.getAttributes().get(AttributeKey.longKey("psf.slice")))
                .containsExactlyInAnyOrder(0L, 1L);
        assertThat(kept.spans.stream().map(SpanData::getTraceId).distinct().count())
                .as("a trace for each call")
                .isGreaterThan(2);
    }

    /** Makes a span of the program around calls. Returns it. */
    private SpanData inSpan(double share) {
        Span program =
                telemetry.getTracer("program").spanBuilder("training step").startSpan();
        Scope current = program.makeCurrent();
        try {
            push(share);
        } finally {
            current.close();
            program.end();
        }
        return kept.spans.stream()
                .filter(each -> each.getName().equals("training step"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aCallWithinASpanOfTheProgramIsItsChildAndLinkedToTheHandlers() {
        SpanData program = inSpan(1);
        await().until(() -> kept.of(SpanKind.CLIENT).size() == 1
                && kept.of(SpanKind.INTERNAL).size() == 2);
        SpanData call = kept.of(SpanKind.CLIENT).get(0);
        assertThat(call.getTraceId()).isEqualTo(program.getTraceId());
        assertThat(call.getParentSpanId()).isEqualTo(program.getSpanId());
        assertThat(call.getLinks()).hasSize(1);
        assertThat(kept.of(SpanKind.INTERNAL)).allSatisfy(handler -> {
            assertThat(handler.getTraceId())
                    .isEqualTo(call.getLinks().get(0).getSpanContext().getTraceId());
            assertThat(handler.getParentSpanId())
                    .isEqualTo(call.getLinks().get(0).getSpanContext().getSpanId());
        });
    }

    @Test
    void aCallWithinASpanOfTheProgramHasASpanThoughTheServersTraceNone() {
        SpanData program = inSpan(0);
        await().until(() -> kept.of(SpanKind.CLIENT).size() == 1);
        SpanData call = kept.of(SpanKind.CLIENT).get(0);
        assertThat(call.getParentSpanId()).isEqualTo(program.getSpanId());
        assertThat(call.getLinks()).isEmpty();
        assertThat(call.getAttributes().get(AttributeKey.stringKey("psf.slices")))
                .isEqualTo("0,1");
        assertThat(kept.of(SpanKind.SERVER)).isEmpty();
    }

    @Test
    void aShareOfTheCallsIsTraced() {
        push(0);
        assertThat(kept.spans).isEmpty();
        long sampled = LongStream.range(0, 100_000)
                .filter(call -> new CallNumber("5eed", 3, call).isSampled(0.01))
                .count();
        assertThat(sampled / 100_000.0).isCloseTo(0.01, within(0.003));
    }

    @Test
    void itIsAService() {
        assertThat(ServiceLoader.load(CallListener.class)).hasAtLeastOneElementOfType(CallTraces.class);
        assertThat(ServiceLoader.load(RequestListener.class)).hasAtLeastOneElementOfType(CallTraces.class);
    }
}
