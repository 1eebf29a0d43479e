package io.psf.processor;

import io.psf.api.spi.HandlerProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.processing.ProcessingEnvironment;
import javax.tools.Diagnostic;
import javax.tools.FileObject;
import javax.tools.StandardLocation;

/**
 * The providers of this compilation, and the service file that names them. Providers of an earlier compilation into the
 * same folder stay, as long as their classes do.
 */
final class Services {
    private static final String FILE = "META-INF/services/" + HandlerProvider.class.getName();

    private final ProcessingEnvironment environment;
    private final Set<String> providers = new TreeSet<>();

    Services(ProcessingEnvironment environment) {
        this.environment = environment;
    }

    void add(String provider) {
        providers.add(provider);
    }

    /** Writes the file, if there is anything to tell; once, in the last round. */
    void write() {
        if (providers.isEmpty()) {
            return;
        }
        Set<String> all = new TreeSet<>(providers);
        all.addAll(earlier());
        try {
            FileObject file = environment.getFiler().createResource(StandardLocation.CLASS_OUTPUT, "", FILE);
            try (Writer out = file.openWriter()) {
                for (String provider : all) {
                    out.write(provider);
                    out.write('\n');
                }
            }
        } catch (IOException e) {
            environment.getMessager().printMessage(Diagnostic.Kind.ERROR, "cannot write " + FILE + ": " + e);
        }
    }

    private Set<String> earlier() {
        Set<String> names = new TreeSet<>();
        try (Reader in = environment
                        .getFiler()
                        .getResource(StandardLocation.CLASS_OUTPUT, "", FILE)
                        .openReader(true);
                BufferedReader lines = new BufferedReader(in)) {
            lines.lines().map(String::strip).filter(this::isThere).forEach(names::add);
        } catch (IOException e) {
            return Set.of(); // there is none, which the compiler tells in several ways
        }
        return names;
    }

    private boolean isThere(String provider) {
        return !provider.isEmpty()
                && !provider.startsWith("#")
                && (environment.getElementUtils().getTypeElement(provider) != null || isClassThere(provider));
    }

    private boolean isClassThere(String provider) {
        int dot = provider.lastIndexOf('.');
        try {
            environment
                    .getFiler()
                    .getResource(
                            StandardLocation.CLASS_OUTPUT,
                            dot < 0 ? "" : provider.substring(0, dot),
                            provider.substring(dot + 1) + ".class")
                    .openInputStream()
                    .close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
