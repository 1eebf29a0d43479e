package io.psf.simulation.net;

import io.psf.api.Names;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ServiceClassPath;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The names of functions by their numbers in frames, for the sentences of a trace. */
final class FunctionNames {
    /** The functions between nodes, which no service lists. */
    private static final List<String> CONTROL = List.of(
            "psf.barrier",
            "psf.cluster.beat",
            "psf.cluster.changes",
            "psf.cluster.end",
            "psf.cluster.join",
            "psf.cluster.leave",
            "psf.cluster.report",
            "psf.cluster.restore",
            "psf.cluster.visit",
            "psf.connection.challenge",
            "psf.connection.end",
            "psf.connection.hello",
            "psf.connection.present",
            "psf.tensor.declare",
            "psf.tensor.forget");

    private static final Map<Integer, String> NAMES = found();

    private FunctionNames() {}

    private static Map<Integer, String> found() {
        Map<Integer, String> names = new TreeMap<>();
        CONTROL.forEach(each -> names.put(Names.number(each), each));
        ServiceLoader.load(HandlerProvider.class, ServiceClassPath.of(FunctionNames.class))
                .forEach(each -> names.put(
                        each.function().info().id(), each.function().info().name()));
        return names;
    }

    static String of(int number) {
        return NAMES.getOrDefault(number, "function " + number);
    }
}
