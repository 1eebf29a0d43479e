package io.psf.processor;

import com.google.auto.service.AutoService;
import io.psf.api.PsInitializer;
import io.psf.api.PsOptimizer;
import io.psf.processor.emit.JavaEmitter;
import io.psf.processor.emit.Source;
import io.psf.processor.model.NamedModel;
import io.psf.processor.read.NamedReader;
import io.psf.processor.read.Problems;
import java.io.IOException;
import java.io.Writer;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/** Generates the providers by which nodes find optimizers and initializers on their class path, each from one class. */
@AutoService(Processor.class)
public final class NamedProcessor extends AbstractProcessor {
    private final Problems problems = new Problems();
    private JavaEmitter emitter;
    private NamedReader reader;
    private boolean isUsable;

    /** Called by the compiler. */
    @SuppressWarnings("NullAway") // the compiler calls init before any other method
    public NamedProcessor() {}

    @Override
    @SuppressWarnings("NullAway") // without these the processor is not usable, and reads nothing
    public synchronized void init(ProcessingEnvironment environment) {
        super.init(environment);
        isUsable = ProcessorPath.missing(getClass().getClassLoader()).isEmpty(); // PsfProcessor reports it
        if (!isUsable) {
            return;
        }
        emitter = new JavaEmitter();
        reader = new NamedReader(environment.getElementUtils(), environment.getTypeUtils(), problems);
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return isUsable ? kinds().stream().map(Class::getName).collect(Collectors.toSet()) : Set.of();
    }

    private static List<Class<? extends Annotation>> kinds() {
        return List.of(PsOptimizer.class, PsInitializer.class);
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
        for (Class<? extends Annotation> kind : kinds()) {
            for (Element each : round.getElementsAnnotatedWith(kind)) {
                process(each, kind);
            }
        }
        return false;
    }

    private void process(Element element, Class<? extends Annotation> kind) {
        Optional<NamedModel> model;
        try {
            model = reader.read(element, kind);
        } catch (RuntimeException e) {
            if (Defect.isOfCompiler(e)) {
                throw e;
            }
            processingEnv
                    .getMessager()
                    .printMessage(Diagnostic.Kind.ERROR, new Defect(element.toString(), e).text(), element);
            return;
        }
        problems.print(processingEnv.getMessager());
        model.ifPresent(each -> emitter.named(each, source -> write(source, element)));
    }

    /** Writes a source that depends on one element only, as incremental builds require. */
    private void write(Source source, Element origin) {
        try (Writer out =
                processingEnv.getFiler().createSourceFile(source.name(), origin).openWriter()) {
            out.write(source.text());
        } catch (IOException e) {
            processingEnv
                    .getMessager()
                    .printMessage(Diagnostic.Kind.ERROR, "cannot write " + source.name() + ": " + e, origin);
        }
    }
}
