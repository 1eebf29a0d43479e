package io.psf.simulation.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The agent of the simulation. Does nothing on a JDK before 25. A class that cannot be rewritten ends the JVM: a
 * simulation with real clocks would not be repeatable.
 */
public final class SimulationAgent implements ClassFileTransformer {
    private static final int JDK = 25;

    private static volatile boolean isLoaded;

    private SimulationAgent() {}

    /** True if this JVM runs with the agent, and its JDK can simulate. */
    public static boolean isLoaded() {
        return isLoaded;
    }

    /** Returns why this JVM cannot simulate. */
    public static String missing() {
        return Runtime.version().feature() < JDK
                ? "simulation: JDK " + Runtime.version().feature() + " (expected: " + JDK + " or newer)"
                : "simulation: a JVM without its agent (expected: -javaagent, as ./psf simulate has it)";
    }

    /**
     * Called by the JVM before {@code main}.
     *
     * @throws IllegalStateException if the place of a planted defect does not exist
     */
    public static void premain(@Nullable String arguments, Instrumentation jvm)
            throws ClassNotFoundException, UnmodifiableClassException {
        if (Runtime.version().feature() < JDK) {
            return;
        }
        Plant.all().forEach(each -> PlantedPlace.require(each, ClassLoader.getSystemClassLoader()));
        jvm.addTransformer(new SimulationAgent(), true);
        List<Class<?>> loaded = new ArrayList<>(List.of(Class.forName("java.lang.VirtualThread")));
        for (Class<?> each : jvm.getAllLoadedClasses()) {
            if (isOfJdk(each.getName().replace('.', '/'))
                    && jvm.isModifiableClass(each)
                    && !each.isArray()
                    && !loaded.contains(each)) {
                loaded.add(each);
            }
        }
        jvm.retransformClasses(loaded.toArray(Class<?>[]::new));
        isLoaded = true;
    }

    private static boolean isOfJdk(String name) {
        return name.startsWith("java/util/concurrent/")
                || name.startsWith("java/util/ImmutableCollections")
                || name.equals("java/lang/VirtualThread");
    }

    private static boolean isOfPsf(String name) {
        return name.startsWith("io/psf/")
                && !name.startsWith("io/psf/simulation/machine/")
                && !name.startsWith("io/psf/simulation/agent/");
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (name == null || !isOfJdk(name) && !isOfPsf(name)) {
            return null;
        }
        try {
            return isOfPsf(name) ? Rewriter.ofPsf(bytes) : Rewriter.ofJdk(bytes);
        } catch (Throwable e) { // the JVM would go on with the class as it is
            System.err.println("simulation: class " + name + ": not rewritten: " + e);
            Runtime.getRuntime().halt(1);
            return null;
        }
    }
}
