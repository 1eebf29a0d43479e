package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.HandlerProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes the handlers that a class path brings. Whatever keeps one from being made is one sentence that names it. */
final class Providers {
    /** What a service loader says of one provider; the tests fail if a JDK says it in another way. */
    private static final Pattern OF_ONE =
            Pattern.compile("(?:Provider )?(\\S+) ((?:not|could|[Uu]nable) .*)", Pattern.DOTALL);

    private final ClassLoader classPath;

    Providers(ClassLoader classPath) {
        this.classPath = classPath;
    }

    /** Takes what is found. */
    @FunctionalInterface
    interface Taker {
        /** Takes a handler; a default body is replaced by any other. */
        void take(Binding<?, ?> binding, boolean isDefault);
    }

    /**
     * Makes every handler.
     *
     * @throws PsException with {@code CONFIGURATION} if a service file is broken, or a handler cannot be made
     */
    void each(Taker taker) {
        Iterator<HandlerProvider> providers =
                ServiceLoader.load(HandlerProvider.class, classPath).iterator();
        while (true) {
            HandlerProvider provider;
            try {
                if (!providers.hasNext()) {
                    return;
                }
                provider = providers.next();
            } catch (ServiceConfigurationError | LinkageError e) {
                throw failure(e);
            }
            taker.take(binding(provider), provider.isDefault());
        }
    }

    private static Binding<?, ?> binding(HandlerProvider provider) {
        try {
            return provider.binding();
        } catch (RuntimeException | LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "handler provider: " + ClassPath.describe(provider.getClass()) + ": making its handler threw "
                            + cause(e) + " (expected: a handler whose constructor succeeds on this node)",
                    e);
        }
    }

    private static Throwable cause(Throwable e) {
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
                "handler provider: " + what + (cause == null ? "" : ", " + cause(cause))
                        + " (expected: a class that psf-processor wrote; build that jar or folder again)",
                e);
    }

    /** The jar or folder whose service file names a provider. */
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
}
