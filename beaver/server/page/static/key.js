// Asks the reader for a key when the server does. Only this tab keeps it.

const $ = (id) => document.getElementById(id);

export function askForKey(isWrong) {
  const dialog = $("key-dialog");
  $("key-wrong").hidden = !isWrong;
  $("key").value = "";
  dialog.showModal();
  $("key").focus();
  return new Promise((resolve) => {
    let given = null;
    $("key-no").onclick = () => dialog.close();
    $("key-form").onsubmit = (event) => {
      event.preventDefault();
      given = $("key").value.trim() || null;
      dialog.close();
    };
    dialog.onclose = () => {
      $("key").value = "";
      resolve(given);
    };
  });
}
