package io.psf.acceptance;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The lines that a class logs, until this is closed. */
final class Log extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private Log(Logger logger) {
        this.logger = logger;
    }

    static Log of(String name) {
        Log log = new Log((Logger) LoggerFactory.getLogger(name));
        log.start();
        log.logger.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getLevel() + " " + event.getFormattedMessage());
    }

    /** Returns level and message of each line. */
    List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}
