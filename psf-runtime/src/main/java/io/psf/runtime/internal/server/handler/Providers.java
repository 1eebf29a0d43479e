package io.psf.runtime.internal.server.handler;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.HandlerProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds the handler providers on a class path. Each problem becomes an error of one sentence that names the provider.
 */
final class Providers {
    /** Matches a service loader's message about one provider. The tests fail if a JDK words it differently. */
    private static final Pattern OF_ONE =
            Pattern.compile("(?:Provider )?(\\S+) ((?:not|could|[Uu]nable) .*)", Pattern.DOTALL);

    private final ClassLoader classPath;

    Providers(ClassLoader classPath) {
        this.classPath = classPath;
    }

    /**
     * Returns all handler providers, by the number of the function's name. Creates no handler.
     *
     * @throws PsException with {@code CONFIGURATION} if a service file is broken, or two functions have the same number
     */
    Map<Integer, List<HandlerProvider>> byFunction() {
        Map<Integer, List<HandlerProvider>> found = new LinkedHashMap<>();
        Iterator<HandlerProvider> providers =
                ServiceLoader.load(HandlerProvider.class, classPath).iterator();
        while (true) {
            HandlerProvider provider;
            try {
                if (!providers.hasNext()) {
                    return found;
                }
                provider = providers.next();
            } catch (ServiceConfigurationError | LinkageError e) {
                throw failure(e);
            }
            FunctionInfo info = function(provider);
            List<HandlerProvider> same = found.computeIfAbsent(info.id(), id -> new ArrayList<>());
            if (!same.isEmpty()) {
                requireSameName(function(same.get(0)), info);
            }
            same.add(provider);
        }
    }

    private static FunctionInfo function(HandlerProvider provider) {
        try {
            return provider.function().info();
        } catch (RuntimeException | LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "handler provider: " + ClassPath.describe(provider.getClass()) + ": its function threw " + cause(e)
                            + " (expected: the function's jar on the class path)",
                    e);
        }
    }

    static Throwable cause(Throwable e) {
        Throwable cause = e.getCause();
        return e instanceof ExceptionInInitializerError && cause != null ? cause : e;
    }

    private PsException failure(Error e) {
        String said = String.valueOf(e.getMessage());
        String message = said.startsWith(HandlerProvider.class.getName() + ": ")
                ? said.substring(HandlerProvider.class.getName().length() + 2)
                : e.toString();
        Matcher ofOne = OF_ONE.matcher(message);
        String what = ofOne.matches() ? ofOne.group(1) + namedBy(ofOne.group(1)) + ": " + ofOne.group(2) : message;
        Throwable cause = e.getCause();
        return new PsException(
                PsException.Code.CONFIGURATION,
                "handler provider: " + what + (cause == null ? "" : ", " + cause(cause)) + " (expected: "
                        + (cause instanceof NoClassDefFoundError
                                ? "the jar with that class on the class path, too)"
                                : "a class that psf-processor wrote; build that jar or folder again)"),
                e);
    }

    /** Returns the service file that names a provider, and its jar or folder, for messages; empty if none is found. */
    private String namedBy(String provider) {
        for (URL file : ClassPath.services(classPath)) {
            Path container = ClassPath.container(file);
            if (container != null && names(file, provider)) {
                return ", named in " + ClassPath.SERVICES + " of " + ClassPath.name(container);
            }
        }
        return "";
    }

    private static boolean names(URL file, String provider) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(file.openStream(), StandardCharsets.UTF_8))) {
            return lines.lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .anyMatch(provider::equals);
        } catch (IOException e) {
            return false;
        }
    }

    /** Checks that two functions of one number are the same one. */
    static void requireSameName(FunctionInfo one, FunctionInfo other) {
        if (!one.name().equals(other.name())) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "functions " + names(one) + " and " + names(other)
                            + ": the same number on the wire, a hash of the name (expected: different numbers;"
                            + " rename one of them)");
        }
    }

    private static String names(FunctionInfo info) {
        return "\"" + info.name() + "\""
                + (info.formerly().isEmpty()
                        ? ""
                        : info.formerly().stream().collect(Collectors.joining("\", \"", " (formerly \"", "\")")));
    }
}
