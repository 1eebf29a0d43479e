package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.not.an.interface")
public abstract class NotAnInterface { // ERROR [PsfNotInterface]
  record Request(TensorId tensor) {}

  record Response() {}

  abstract Response handle(Request slice, Shard shard);

  @PsFunction("bad.not.an.interface.either")
  static final class Nothing {} // ERROR [PsfNotInterface]

  @PsFunction("bad.not.an.interface.hidden")
  static final class Hidden { // ERROR [PsfNotInterface]
    private record Request(TensorId tensor) {}

    private record Response() {}
  }
}
