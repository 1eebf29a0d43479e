package io.psf.opentelemetry;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.psf.api.CallListener;
import io.psf.api.CallPart;
import io.psf.api.Metric;
import io.psf.api.NodeInfo;
import io.psf.api.PsException.Code;
import io.psf.api.RequestListener;
import io.psf.api.TensorId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Spans of a share of the calls: one of the call on the worker, with the slices that it was sent to; on each server one
 * of the request, from its arrival to its answer, and one of its handler. All have the trace that follows from the
 * cluster, the worker and the call, so both sides choose the same calls, and nothing is sent for it. Thread-safe.
 *
 * <p>A call that is made within a sampled span of the program has a span in any case: within that span, with a link to
 * the call's own trace if the servers trace the call.
 *
 * <p>As a service on the class path, it traces with {@link GlobalOpenTelemetry} the share that {@code
 * OTEL_TRACES_SAMPLER_ARG} says, by default one call of a hundred.
 */
public final class CallTraces implements CallListener, RequestListener {
    private static final double USUAL_SHARE = 0.01;
    /** Calls that are open at a time, of those that have a span on the worker. Others have none there. */
    private static final int MOST_OPEN = 10_000;

    private final Supplier<OpenTelemetry> telemetry;
    private final double share;
    /** By the number of the call, the requests of calls that have a span on the worker. */
    private final Map<Long, Sent> open = new ConcurrentHashMap<>();
    /** The identity of the cluster; empty before the node has started. */
    private volatile String cluster = "";

    /** The requests of a call, and the span that the call was made in, which may be invalid. */
    private record Sent(SpanContext within, String slices, long bytes) {
        Sent with(CallPart part, long more) {
            String place = part.slice() < 0 ? "" : Integer.toString(part.slice());
            return new Sent(within, slices.isEmpty() ? place : slices + "," + place, bytes + more);
        }
    }

    /** Creates the service. */
    public CallTraces() {
        this(GlobalOpenTelemetry::getOrNoop, share(System.getenv("OTEL_TRACES_SAMPLER_ARG")));
    }

    /**
     * Creates traces of calls.
     *
     * @param share of the calls, from 0 to 1; the same on all nodes
     */
    public CallTraces(OpenTelemetry telemetry, double share) {
        this(() -> telemetry, share);
    }

    /** Asks for each span: the program may set the global one after its nodes have started. */
    private CallTraces(Supplier<OpenTelemetry> telemetry, double share) {
        this.telemetry = telemetry;
        this.share = share;
    }

    private static double share(@Nullable String setting) {
        try {
            return setting == null ? USUAL_SHARE : Double.parseDouble(setting);
        } catch (NumberFormatException e) {
            return USUAL_SHARE;
        }
    }

    @Override
    public void started(NodeInfo node, Supplier<List<Metric>> metrics) {
        cluster = node.cluster();
    }

    private boolean isTraced(CallPart part) {
        return !cluster.isEmpty() && CallNumber.of(cluster, part).isSampled(share);
    }

    @Override
    public void called(CallPart call) {
        SpanContext within = Span.current().getSpanContext();
        if ((within.isSampled() || isTraced(call)) && open.size() < MOST_OPEN) {
            open.put(call.call(), new Sent(within, "", 0));
        }
    }

    @Override
    public void sent(CallPart part, long bytes) {
        open.computeIfPresent(part.call(), (call, before) -> before.with(part, bytes));
    }

    @Override
    public void ended(CallPart call, Code outcome, long nanos) {
        Sent sent = open.remove(call.call());
        if (sent != null) {
            SpanBuilder span = span(call, call.function(), SpanKind.CLIENT)
                    .setAttribute("psf.slices", sent.slices())
                    .setAttribute("psf.bytes", sent.bytes());
            if (sent.within().isSampled()) {
                span.setParent(Context.root().with(Span.wrap(sent.within())));
                if (isTraced(call)) {
                    span.addLink(CallNumber.of(cluster, call).parent());
                }
            }
            end(span, nanos, outcome);
        }
    }

    @Override
    public void handled(CallPart request, long waitedNanos, long ranNanos) {
        if (isTraced(request)) {
            SpanBuilder span = span(request, request.function() + " handler", SpanKind.INTERNAL)
                    .setAttribute("psf.waited.nanos", waitedNanos);
            end(span, ranNanos, Code.OK);
        }
    }

    @Override
    public void answered(CallPart request, Code outcome, long bytes, long nanos) {
        if (isTraced(request)) {
            end(span(request, request.function(), SpanKind.SERVER), nanos, outcome);
        }
    }

    private SpanBuilder span(CallPart part, String name, SpanKind kind) {
        TensorId tensor = part.tensor();
        Span parent = Span.wrap(CallNumber.of(cluster, part).parent());
        SpanBuilder span = telemetry
                .get()
                .getTracer("io.psf")
                .spanBuilder(name)
                .setSpanKind(kind)
                .setParent(Context.root().with(parent))
                .setAttribute("psf.worker", part.worker())
                .setAttribute("psf.call", part.call());
        if (tensor != null) {
            span.setAttribute("psf.tensor", tensor.name());
        }
        if (part.slice() >= 0) {
            span.setAttribute("psf.slice", part.slice());
        }
        return span;
    }

    /** Makes a span that ends now. */
    private static void end(SpanBuilder span, long nanos, Code outcome) {
        long end = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        Span made = span.setStartTimestamp(end - nanos, TimeUnit.NANOSECONDS).startSpan();
        if (outcome != Code.OK) {
            made.setStatus(StatusCode.ERROR, outcome.name());
        }
        made.end(end, TimeUnit.NANOSECONDS);
    }
}
