package io.psf.processor;

import com.google.auto.service.AutoService;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import javax.tools.FileObject;
import javax.tools.StandardLocation;

/**
 * Writes the service file that lists the providers which {@link PsfProcessor} generates. This is a separate processor
 * because the file depends on all providers, while each source of {@code PsfProcessor} depends on only one interface.
 * Providers of an earlier compilation into the same folder remain listed as long as their classes exist.
 */
@AutoService(Processor.class)
public final class ServicesProcessor extends AbstractProcessor {
    private static final String FILE = "META-INF/services/" + HandlerProvider.class.getName();

    private final Set<String> providers = new TreeSet<>();

    /** Called by the compiler. */
    public ServicesProcessor() {}

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of(ListedProvider.class.getName());
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        for (Element each : round.getElementsAnnotatedWith(ListedProvider.class)) {
            providers.add(((TypeElement) each).getQualifiedName().toString());
        }
        if (round.processingOver() && !providers.isEmpty()) {
            write();
        }
        return false;
    }

    private void write() {
        Set<String> all = new TreeSet<>(providers);
        all.addAll(earlier());
        try {
            FileObject file = processingEnv.getFiler().createResource(StandardLocation.CLASS_OUTPUT, "", FILE);
            try (Writer out = file.openWriter()) {
                for (String provider : all) {
                    out.write(provider);
                    out.write('\n');
                }
            }
        } catch (IOException e) {
            processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, "cannot write " + FILE + ": " + e);
        }
    }

    private Set<String> earlier() {
        Set<String> names = new TreeSet<>();
        try (Reader in = processingEnv
                        .getFiler()
                        .getResource(StandardLocation.CLASS_OUTPUT, "", FILE)
                        .openReader(true);
                BufferedReader lines = new BufferedReader(in)) {
            lines.lines().map(String::strip).filter(this::isThere).forEach(names::add);
        } catch (IOException e) {
            return Set.of(); // no such file, for which compilers throw different exceptions
        }
        return names;
    }

    private boolean isThere(String provider) {
        return !provider.isEmpty()
                && !provider.startsWith("#")
                && (processingEnv.getElementUtils().getTypeElement(provider) != null || isClassThere(provider));
    }

    private boolean isClassThere(String provider) {
        int dot = provider.lastIndexOf('.');
        try {
            processingEnv
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
