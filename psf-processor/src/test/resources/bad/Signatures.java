package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

final class Signatures {
  @PsFunction("bad.signatures.parameters")
  interface Parameters {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(
        String slice, // ERROR [PsfHandleSignature]
        Node node); // ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.signatures.few")
  interface Few {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice); // ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.signatures.answer")
  interface Answer {
    record Request(TensorId tensor) {}

    record Response() {}

    CompletionStage<Request> handle(Request slice, Shard shard) throws Throwable; // ERROR [PsfHandleSignature] ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.signatures.fixed")
  interface Fixed {
    record Request(TensorId tensor) {}

    record Response() {}

    static Response handle(Request slice, Shard shard) { // ERROR [PsfHandleSignature]
      return new Response();
    }
  }

  @PsFunction("bad.signatures.swapped")
  interface Swapped {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Shard shard, Request slice); // ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.signatures.misspelt")
  interface Misspelt {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handel(Request slice, Shard shard); // ERROR [PsfHandleMissing]
  }

  /** Meant to run on servers. */
  @PsFunction("bad.signatures.node")
  interface OnNodes {
    record Request(String name) {}

    record Response() {}

    Response handle(Request slice, Node node); // ERROR [PsfHandleSignature]
  }

  interface Closeable {
    void shut();
  }

  @PsFunction("bad.signatures.more")
  interface More extends Closeable { // ERROR [PsfHandleExtra]
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);

    Response handle(Request slice, Node node); // ERROR [PsfHandleExtra]

    void other(); // ERROR [PsfHandleExtra]
  }
}
