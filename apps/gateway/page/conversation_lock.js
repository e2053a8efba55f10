// One tab at a time asks in a conversation. Browsers have locks where the page came from this machine or
// over HTTPS; elsewhere a conversation is always free, and ConversationStore joins what tabs write.
const nameOf = (id) => `cursor-gateway.conversation.${id}`;

// Calls `use`, and holds the conversation until it has ended. Resolves to false if another tab holds it.
export async function holdConversation(id, use) {
  if (navigator.locks === undefined) {
    await use();
    return true;
  }
  return navigator.locks.request(nameOf(id), { ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await use();
    return true;
  });
}

// Resolves when no tab holds the conversation: the answer has ended, or its page is gone.
export async function conversationIsFree(id) {
  await navigator.locks?.request(nameOf(id), { mode: 'shared' }, () => {});
}
