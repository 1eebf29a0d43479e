package io.psf.processor;

import com.google.auto.service.AutoService;
import io.psf.api.spi.ListedProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import javax.tools.FileObject;
import javax.tools.StandardLocation;

/**
 * Writes the service files that list the providers which {@link PsfProcessor} and {@link NamedProcessor} generate. This
 * is a separate processor because a file depends on all providers, while each source of the others depends on only one
 * class.
 * Providers of an earlier compilation into the same folder remain listed as long as their classes exist.
 */
@AutoService(Processor.class)
public final class ServicesProcessor extends AbstractProcessor {
    private static final String FOLDER = "META-INF/services/";

    /** The providers by service. */
    private final Map<String, Set<String>> providers = new TreeMap<>();

    private final boolean isUsable =
            ProcessorPath.missing(getClass().getClassLoader()).isEmpty(); // PsfProcessor reports it

    /** Called by the compiler. */
    public ServicesProcessor() {}

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return isUsable ? Set.of(ListedProvider.class.getName()) : Set.of();
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        if (!isUsable) {
            return false;
        }
        for (Element each : round.getElementsAnnotatedWith(ListedProvider.class)) {
            providers
                    .computeIfAbsent(service(each), service -> new TreeSet<>())
                    .add(((TypeElement) each).getQualifiedName().toString());
        }
        if (round.processingOver()) {
            providers.forEach((service, found) -> write(FOLDER + service, found));
        }
        return false;
    }

    /** Returns the name of the service that a provider is listed for. */
    private String service(Element provider) {
        for (AnnotationMirror each : provider.getAnnotationMirrors()) {
            if (((TypeElement) each.getAnnotationType().asElement())
                    .getQualifiedName()
                    .contentEquals(ListedProvider.class.getName())) {
                return processingEnv.getElementUtils().getElementValuesWithDefaults(each).values().stream()
                        .map(value -> value.getValue().toString())
                        .findFirst()
                        .orElseThrow();
            }
        }
        throw new IllegalArgumentException(provider + ": no @ListedProvider");
    }

    private void write(String name, Set<String> found) {
        Set<String> all = new TreeSet<>(found);
        all.addAll(earlier(name));
        try {
            FileObject file = processingEnv.getFiler().createResource(StandardLocation.CLASS_OUTPUT, "", name);
            try (Writer out = file.openWriter()) {
                for (String provider : all) {
                    out.write(provider);
                    out.write('\n');
                }
            }
        } catch (IOException e) {
            processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, "cannot write " + name + ": " + e);
        }
    }

    private Set<String> earlier(String file) {
        Set<String> names = new TreeSet<>();
        try (Reader in = processingEnv
                        .getFiler()
                        .getResource(StandardLocation.CLASS_OUTPUT, "", file)
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
