package io.psf.gpu.report;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs tests, and says on the standard output which. Used once. */
final class TestRun implements TestExecutionListener {
    private static final int STACK_LINES = 15;

    private final SummaryGeneratingListener summary = new SummaryGeneratingListener();
    /** The number of tests and classes that were not run, by reason. */
    private final Map<String, Integer> reasons = new TreeMap<>();

    void run(List<? extends DiscoverySelector> selectors, Filter<?>... filters) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
                                .filters(filters)
                                .build(),
                        summary,
                        this);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        say("begins", test);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        reasons.merge(reason, 1, Integer::sum);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        switch (result.getStatus()) {
            case ABORTED ->
                reasons.merge(result.getThrowable().map(Throwable::getMessage).orElse("unknown"), 1, Integer::sum);
            case FAILED -> say("FAILED: " + result.getThrowable().orElse(null), test);
            case SUCCESSFUL -> {}
        }
    }

    private static void say(String what, TestIdentifier test) {
        System.out.println(
                LocalTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MILLIS) + " " + name(test) + " " + what);
    }

    private static String name(TestIdentifier test) {
        return test.getUniqueId().replaceFirst("\\[engine:[^]]*]/?", "") + " " + test.getDisplayName();
    }

    /** True if a test has failed, or none was found. */
    boolean hasFailed() {
        TestExecutionSummary ended = summary.getSummary();
        return !ended.getFailures().isEmpty() || ended.getTestsFoundCount() == 0;
    }

    void report(Report report) {
        TestExecutionSummary ended = summary.getSummary();
        long skipped = ended.getTestsFoundCount() - ended.getTestsSucceededCount() - ended.getTestsFailedCount();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ended", true);
        json.put("found", ended.getTestsFoundCount());
        json.put("passed", ended.getTestsSucceededCount());
        json.put("failed", ended.getTestsFailedCount());
        json.put("classes failed", ended.getContainersFailedCount());
        json.put("skipped", skipped);
        json.put("seconds", (ended.getTimeFinished() - ended.getTimeStarted()) / 1000);
        String counts = json.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .skip(1)
                .collect(Collectors.joining(", "));
        json.put("reasons of skipped tests and classes", reasons);
        List<Map<String, Object>> failures = new ArrayList<>();
        StringBuilder text = new StringBuilder(counts).append('\n');
        reasons.forEach((reason, n) -> text.append("skipped, ")
                .append(n)
                .append(" times: ")
                .append(reason)
                .append('\n'));
        for (TestExecutionSummary.Failure failure : ended.getFailures()) {
            String name = name(failure.getTestIdentifier());
            String message = String.valueOf(failure.getException());
            String stack = stack(failure.getException());
            failures.add(Map.of("test", name, "message", message, "stack", stack));
            text.append("\nFAILED ").append(name).append('\n').append(stack).append('\n');
        }
        json.put("failures", failures);
        report.put("tests", json, text.toString());
    }

    private static String stack(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text, true));
        List<String> lines = text.toString().lines().toList();
        int frames = 0;
        List<String> kept = new ArrayList<>();
        for (String line : lines) {
            boolean isFrame = line.startsWith("\tat ");
            if (!isFrame || frames++ < STACK_LINES) {
                kept.add(line);
            }
        }
        return String.join("\n", kept.subList(0, Math.min(kept.size(), 4 * STACK_LINES)));
    }
}
