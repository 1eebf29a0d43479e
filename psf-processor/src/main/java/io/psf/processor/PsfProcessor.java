package io.psf.processor;

import com.google.auto.service.AutoService;
import io.psf.api.PsFunction;
import io.psf.api.PsHandler;
import io.psf.processor.emit.FunctionEmitter;
import io.psf.processor.emit.ProviderEmitter;
import io.psf.processor.emit.Source;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.ProviderModel;
import io.psf.processor.read.FunctionReader;
import io.psf.processor.read.HandlerReader;
import io.psf.processor.read.Problems;
import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * Makes {@code XPsf} beside each interface {@code X} with {@code PsFunction}, and what brings handlers to a server's
 * class path. An interface that mentions classes which do not exist yet waits for the next round, in which another
 * processor may have made them.
 */
@AutoService(Processor.class)
public final class PsfProcessor extends AbstractProcessor {
    private final Problems problems = new Problems();
    /** Interfaces and handlers to be read again in the next round, by name. */
    private Map<String, Boolean> waiting = new LinkedHashMap<>();

    private FunctionReader functions;
    private HandlerReader handlers;
    private Services services;

    /** Made by the compiler. */
    @SuppressWarnings("NullAway") // init comes before anything else
    public PsfProcessor() {}

    @Override
    public synchronized void init(ProcessingEnvironment environment) {
        super.init(environment);
        functions = new FunctionReader(environment.getElementUtils(), environment.getTypeUtils(), problems);
        handlers = new HandlerReader(environment.getElementUtils(), environment.getTypeUtils(), problems);
        services = new Services(environment);
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of(PsFunction.class.getName(), PsHandler.class.getName());
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        Map<String, Boolean> now = waiting;
        waiting = new LinkedHashMap<>();
        for (Element each : round.getElementsAnnotatedWith(PsFunction.class)) {
            if (each instanceof TypeElement type) {
                now.put(type.getQualifiedName().toString(), true);
            }
        }
        for (Element each : round.getElementsAnnotatedWith(PsHandler.class)) {
            if (each instanceof TypeElement type) {
                now.put(type.getQualifiedName().toString(), false);
            }
        }
        boolean last = round.processingOver();
        now.forEach((name, isFunction) -> {
            TypeElement type = processingEnv.getElementUtils().getTypeElement(name);
            if (type != null) {
                if (isFunction) {
                    function(type, last);
                } else {
                    handler(type, last);
                }
            }
        });
        if (last) {
            services.write();
        }
        return false;
    }

    private void function(TypeElement type, boolean last) {
        Optional<FunctionReader.Reading> reading = functions.read(type);
        if (reading.isEmpty()) {
            problems.print(processingEnv.getMessager());
            return;
        }
        FunctionModel model = reading.get().model();
        if (!reading.get().resolved() && !last) {
            problems.clear();
            waiting.put(type.getQualifiedName().toString(), true);
            return;
        }
        boolean sound = problems.isEmpty() && reading.get().resolved();
        problems.print(processingEnv.getMessager());
        write(sound ? FunctionEmitter.emit(model) : FunctionEmitter.emitSkeleton(model), type);
        if (sound && model.whole()) {
            provide(new ProviderModel(model.type(), model.type(), true), type);
        }
    }

    private void handler(TypeElement type, boolean last) {
        Optional<ProviderModel> model = handlers.read(type);
        if (!handlers.isResolved() && !last) {
            problems.clear();
            waiting.put(type.getQualifiedName().toString(), false);
            return;
        }
        problems.print(processingEnv.getMessager());
        model.ifPresent(each -> provide(each, type));
    }

    private void provide(ProviderModel model, TypeElement type) {
        write(ProviderEmitter.emit(model), type);
        services.add(model.generated().qualified());
    }

    private void write(Source source, TypeElement origin) {
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
