package io.psf.runtime;

import java.lang.reflect.Method;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Counts the limits of {@link Timeout} in {@link GivenTime}. JUnit, which counts them by the clock on the wall, leaves
 * that to this class by {@code junit-platform.properties}. The methods before and after each test have the same limit.
 * A test at its limit is interrupted, once the stacks of all threads are printed. A test that goes on for as long again
 * ends the process.
 *
 * <p>{@code -Dpsf.test.load=4} starts four threads that keep processors busy, to see which tests fail on a loaded
 * machine.
 */
public final class GivenTimeLimits implements InvocationInterceptor {
    /** True if the test that runs is at its limit. */
    private static volatile boolean isLate;

    static {
        // Awaitility heeds no interrupt.
        Awaitility.setDefaultFailFastCondition("the test is at its limit", () -> isLate);
        for (int i = Integer.getInteger("psf.test.load", 0); i > 0; i--) {
            Thread busy = new Thread(GivenTimeLimits::spin, "busy-loop");
            busy.setDaemon(true);
            busy.start();
        }
    }

    private static void spin() {
        while (true) {
            Thread.onSpinWait();
        }
    }

    /** Created by JUnit, which finds the class as a service. */
    public GivenTimeLimits() {}

    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(test, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(test, context);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> start, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(start, context);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> end, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        proceed(end, context);
    }

    private static void proceed(Invocation<Void> test, ExtensionContext context) throws Throwable {
        Timeout limit = AnnotationSupport.findAnnotation(context.getTestMethod(), Timeout.class)
                .or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), Timeout.class))
                .orElse(null);
        if (limit == null) {
            test.proceed();
            return;
        }
        Watch watch = new Watch(Thread.currentThread(), limit.unit().toNanos(limit.value()));
        Throwable failure = null;
        try {
            test.proceed();
        } catch (Throwable e) {
            failure = e;
        }
        if (watch.end()) {
            TimeoutException late = new TimeoutException("test: not done (expected: within " + limit.value() + " "
                    + limit.unit().name().toLowerCase(Locale.ROOT)
                    + " of the time that its process was given)");
            late.initCause(failure);
            throw late;
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Interrupts a thread at a limit. */
    private static final class Watch {
        private static final long POLL_MILLIS = 250;

        private final Thread test;
        private final long begin = GivenTime.nanos();
        private final long limit;

        // Guarded by this object.
        private boolean ended;
        private boolean late;

        Watch(Thread test, long limit) {
            this.test = test;
            this.limit = limit;
            Thread thread = new Thread(this::run, "limit of a test");
            thread.setDaemon(true);
            thread.start();
        }

        private synchronized void run() {
            try {
                while (!ended) {
                    wait(POLL_MILLIS);
                    long time = GivenTime.nanos() - begin;
                    if (!ended && time > limit) {
                        if (!late) {
                            printStacks();
                        }
                        late = true;
                        isLate = true;
                        test.interrupt();
                    }
                    if (!ended && time > 2 * limit) {
                        System.err.println("test: not interrupted (expected: within its limit)");
                        Runtime.getRuntime().halt(1);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static void printStacks() {
            for (Map.Entry<Thread, StackTraceElement[]> each :
                    Thread.getAllStackTraces().entrySet()) {
                System.out.println(each.getKey());
                for (StackTraceElement element : each.getValue()) {
                    System.out.println("    at " + element);
                }
            }
        }

        /** Ends the watch. True if the test came late; it then has no interrupt any more. */
        synchronized boolean end() {
            ended = true;
            notifyAll();
            if (late) {
                isLate = false;
                Thread.interrupted(); // clears what the test has not noticed
            }
            return late;
        }
    }
}
